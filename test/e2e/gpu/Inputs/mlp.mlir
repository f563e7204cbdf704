// Two dense layers, with sizes that fill neither warps nor blocks.
func.func @main(%x: tensor<17x33xf32>, %w0: tensor<33x65xf32>, %b0: tensor<65xf32>, %w1: tensor<65x9xf32>, %b1: tensor<9xf32>) -> tensor<17x9xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<17x65xf32>
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<17x33xf32>, tensor<33x65xf32>) -> tensor<17x65xf32> loc("first")
  %1 = stablehlo.broadcast_in_dim %b0, dims = [1] : (tensor<65xf32>) -> tensor<17x65xf32>
  %2 = stablehlo.add %0, %1 : tensor<17x65xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<17x65xf32>
  %4 = stablehlo.dot_general %3, %w1, contracting_dims = [1] x [0] : (tensor<17x65xf32>, tensor<65x9xf32>) -> tensor<17x9xf32> loc("second")
  %5 = stablehlo.broadcast_in_dim %b1, dims = [1] : (tensor<9xf32>) -> tensor<17x9xf32>
  %6 = stablehlo.add %4, %5 : tensor<17x9xf32>
  %7 = stablehlo.tanh %6 : tensor<17x9xf32>
  return %7 : tensor<17x9xf32>
}
