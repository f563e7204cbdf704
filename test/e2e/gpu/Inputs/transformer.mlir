// A block of a transformer: embedding, attention over two heads, a norm, a dense layer with SiLU, the residual; in f32, or bf16 for the products.
func.func @main(%ids: tensor<7xi32> {heddle.name = "ids"}, %table: tensor<11x16xf32>, %wq: tensor<16x16xf32>, %wk: tensor<16x16xf32>, %wv: tensor<16x16xf32>,
                %gain: tensor<16xf32>, %up: tensor<16x24xbf16>, %down: tensor<24x16xbf16>) -> tensor<7x16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %scale = stablehlo.constant dense<0.353553391> : tensor<2x7x7xf32>
  %x = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
      start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>}> : (tensor<11x16xf32>, tensor<7xi32>) -> tensor<7x16xf32>
  %q0 = stablehlo.dot_general %x, %wq, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x16xf32>) -> tensor<7x16xf32>
  %k0 = stablehlo.dot_general %x, %wk, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x16xf32>) -> tensor<7x16xf32>
  %v0 = stablehlo.dot_general %x, %wv, contracting_dims = [1] x [0] : (tensor<7x16xf32>, tensor<16x16xf32>) -> tensor<7x16xf32>
  %q = stablehlo.reshape %q0 : (tensor<7x16xf32>) -> tensor<7x2x8xf32>
  %k = stablehlo.reshape %k0 : (tensor<7x16xf32>) -> tensor<7x2x8xf32>
  %v = stablehlo.reshape %v0 : (tensor<7x16xf32>) -> tensor<7x2x8xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [1] x [1], contracting_dims = [2] x [2] : (tensor<7x2x8xf32>, tensor<7x2x8xf32>) -> tensor<2x7x7xf32>
  %t = stablehlo.multiply %s, %scale : tensor<2x7x7xf32>
  %top = stablehlo.reduce(%t init: %least) applies stablehlo.maximum across dimensions = [2] : (tensor<2x7x7xf32>, tensor<f32>) -> tensor<2x7xf32>
  %topb = stablehlo.broadcast_in_dim %top, dims = [0, 1] : (tensor<2x7xf32>) -> tensor<2x7x7xf32>
  %d = stablehlo.subtract %t, %topb : tensor<2x7x7xf32>
  %e = stablehlo.exponential %d : tensor<2x7x7xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x7x7xf32>, tensor<f32>) -> tensor<2x7xf32>
  %sumb = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<2x7xf32>) -> tensor<2x7x7xf32>
  %p = stablehlo.divide %e, %sumb : tensor<2x7x7xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [1], contracting_dims = [2] x [0] : (tensor<2x7x7xf32>, tensor<7x2x8xf32>) -> tensor<2x7x8xf32>
  %ot = stablehlo.transpose %o, dims = [1, 0, 2] : (tensor<2x7x8xf32>) -> tensor<7x2x8xf32>
  %of = stablehlo.reshape %ot : (tensor<7x2x8xf32>) -> tensor<7x16xf32>
  %y = stablehlo.add %x, %of : tensor<7x16xf32>
  %yy = stablehlo.multiply %y, %y : tensor<7x16xf32>
  %ms = stablehlo.reduce(%yy init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x16xf32>, tensor<f32>) -> tensor<7xf32>
  %r = stablehlo.rsqrt %ms : tensor<7xf32>
  %rb = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<7xf32>) -> tensor<7x16xf32>
  %gb = stablehlo.broadcast_in_dim %gain, dims = [1] : (tensor<16xf32>) -> tensor<7x16xf32>
  %n0 = stablehlo.multiply %y, %rb : tensor<7x16xf32>
  %n = stablehlo.multiply %n0, %gb : tensor<7x16xf32>
  %nb = stablehlo.convert %n : (tensor<7x16xf32>) -> tensor<7x16xbf16>
  %h0 = stablehlo.dot_general %nb, %up, contracting_dims = [1] x [0] : (tensor<7x16xbf16>, tensor<16x24xbf16>) -> tensor<7x24xbf16>
  %l = stablehlo.logistic %h0 : tensor<7x24xbf16>
  %h = stablehlo.multiply %h0, %l : tensor<7x24xbf16>
  %z0 = stablehlo.dot_general %h, %down, contracting_dims = [1] x [0] : (tensor<7x24xbf16>, tensor<24x16xbf16>) -> tensor<7x16xf32>
  %z = stablehlo.add %y, %z0 : tensor<7x16xf32>
  return %z : tensor<7x16xf32>
}
