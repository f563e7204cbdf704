module attributes {heddle.source = "mlp.mlir"} {
  func.func @main(%x: tensor<2x3xf32> {heddle.name = "x"}, %ids: tensor<2xi64> {heddle.name = "ids"})
      -> (tensor<2x4xf32> {heddle.name = "layer/out:0"}) {
    %w = stablehlo.constant dense<[[0.5, -1.0, 0.25, 2.0], [1.5, 0.0, -0.75, 1.0], [-2.0, 1.0, 0.5, 0.25]]> : tensor<3x4xf32>
    %table = stablehlo.constant dense<[[0.0, 0.5, 1.0, 1.5], [2.0, 2.5, 3.0, 3.5], [4.0, 4.5, 5.0, 5.5]]> : tensor<3x4xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<2x4xf32>
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> loc("dense")
    %1 = stablehlo.maximum %0, %zero : tensor<2x4xf32> loc("relu")
    %2 = "stablehlo.gather"(%table, %ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<3x4xf32>, tensor<2xi64>) -> tensor<2x4xf32> loc("lookup")
    %3 = stablehlo.add %1, %2 : tensor<2x4xf32> loc("sum")
    return %3 : tensor<2x4xf32>
  }
}
