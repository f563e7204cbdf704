// Any number of rows, which each call chooses.
func.func @main(%x: tensor<?x8xf32>, %w: tensor<8x4xf32>) -> tensor<?x4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = stablehlo.tanh %0 : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}
