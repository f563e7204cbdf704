// One kernel, launched twice.
func.func @main(%x: tensor<8x8xf32> {heddle.name = "x"}, %w: tensor<8x8xf32> {heddle.name = "w"}) -> (tensor<8x8xf32> {heddle.name = "y"}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
