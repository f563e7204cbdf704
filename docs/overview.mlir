module {
  func.func @main(%x: tensor<2x3xf32> {heddle.name = "x"}) -> (tensor<2x4xf32> {heddle.name = "y"}) {
    %w = stablehlo.constant dense<[[0.5, -1.0, 0.25, 2.0], [1.5, 0.0, -0.75, 1.0], [-2.0, 1.0, 0.5, 0.25]]> : tensor<3x4xf32>
    %b = stablehlo.constant dense<[1.0, 0.0, -1.0, 0.5]> : tensor<4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> loc("dense")
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32> loc("dense")
    %2 = stablehlo.add %0, %1 : tensor<2x4xf32> loc("dense")
    %3 = stablehlo.maximum %2, %zero : tensor<2x4xf32> loc("relu")
    return %3 : tensor<2x4xf32>
  }
}
