// A block of a transformer in bf16, large enough for products of warpgroups: projections to four heads of 64, scores and values of each head, a dense
// layer with SiLU.
func.func @main(%ids: tensor<128xi32> {heddle.name = "ids"}, %table: tensor<512x256xbf16>, %wq: tensor<256x256xbf16>, %wk: tensor<256x256xbf16>, %wv: tensor<256x256xbf16>,
                %gain: tensor<256xbf16>, %up: tensor<256x512xbf16>, %down: tensor<512x256xbf16>) -> tensor<128x256xbf16> {
  %zero = stablehlo.constant dense<0.0> : tensor<bf16>
  %least = stablehlo.constant dense<0xFF80> : tensor<bf16>
  %scale = stablehlo.constant dense<0.353553391> : tensor<4x128x128xbf16>
  %x = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 256>}> : (tensor<512x256xbf16>, tensor<128xi32>) -> tensor<128x256xbf16>
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, tensor<256x256xbf16>) -> tensor<128x256xbf16>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, tensor<256x256xbf16>) -> tensor<128x256xbf16>
  %v0 = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, tensor<256x256xbf16>) -> tensor<128x256xbf16>
  %q = stablehlo.reshape %q0 : (tensor<128x256xbf16>) -> tensor<128x4x64xbf16>
  %k = stablehlo.reshape %k0 : (tensor<128x256xbf16>) -> tensor<128x4x64xbf16>
  %v = stablehlo.reshape %v0 : (tensor<128x256xbf16>) -> tensor<128x4x64xbf16>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<128x4x64xbf16>, tensor<128x4x64xbf16>) -> tensor<4x128x128xbf16>
  %t = stablehlo.multiply %s, %scale : tensor<4x128x128xbf16>
  %top = stablehlo.reduce(%t init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<4x128x128xbf16>, tensor<bf16>) -> tensor<4x128xbf16>
  %topb = stablehlo.broadcast_in_dim %top, dims = [0, 1] : (tensor<4x128xbf16>) -> tensor<4x128x128xbf16>
  %d = stablehlo.subtract %t, %topb : tensor<4x128x128xbf16>
  %e = stablehlo.exponential %d : tensor<4x128x128xbf16>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<4x128x128xbf16>, tensor<bf16>) -> tensor<4x128xbf16>
  %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<4x128xbf16>) -> tensor<4x128x128xbf16>
  %p = stablehlo.divide %e, %sumb : tensor<4x128x128xbf16>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<4x128x128xbf16>, tensor<128x4x64xbf16>) -> tensor<4x128x64xbf16>
  %ot = stablehlo.transpose %o, dims = [1, 0, 2] : (tensor<4x128x64xbf16>) -> tensor<128x4x64xbf16>
  %of = stablehlo.reshape %ot : (tensor<128x4x64xbf16>) -> tensor<128x256xbf16>
  %y = stablehlo.add %x, %of : tensor<128x256xbf16>
  %yy = stablehlo.multiply %y, %y : tensor<128x256xbf16>
  %ms = stablehlo.reduce(%yy init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x256xbf16>, tensor<bf16>) -> tensor<128xbf16>
  %r = stablehlo.rsqrt %ms : tensor<128xbf16>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<128xbf16>) -> tensor<128x256xbf16>
  %gb = stablehlo.broadcast_in_dim %gain, dims = [1] : (tensor<256xbf16>) -> tensor<128x256xbf16>
  %n0 = stablehlo.multiply %y, %rb : tensor<128x256xbf16>
  %n = stablehlo.multiply %n0, %gb : tensor<128x256xbf16>
  %nb = stablehlo.add %n, %n : tensor<128x256xbf16>
  %h0 = stablehlo.dot_general %nb, %up, contracting_dims = [1] x [0] : (tensor<128x256xbf16>, tensor<256x512xbf16>) -> tensor<128x512xbf16>
  %l = stablehlo.logistic %h0 : tensor<128x512xbf16>
  %h = stablehlo.multiply %h0, %l : tensor<128x512xbf16>
  %z0 = stablehlo.dot_general %h, %down, contracting_dims = [1] x [0] : (tensor<128x512xbf16>, tensor<512x256xbf16>) -> tensor<128x256xbf16>
  %z = stablehlo.add %y, %z0 : tensor<128x256xbf16>
  return %z : tensor<128x256xbf16>
}
