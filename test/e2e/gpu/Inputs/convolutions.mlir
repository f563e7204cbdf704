// Convolutions: with stride and padding, depthwise, transposed; a pool, a concatenation, padding, the largest three of a row.
func.func @main(%x: tensor<1x9x9x3xf32>, %w0: tensor<3x3x3x8xf32>, %w1: tensor<3x3x1x8xf32>, %w2: tensor<2x2x8x4xf32>) -> (tensor<1x5x14x4xf32>, tensor<5x3xf32>, tensor<5x3xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.convolution(%x, %w0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x3xf32>, tensor<3x3x3x8xf32>) -> tensor<1x5x5x8xf32>
  %1 = stablehlo.convolution(%0, %w1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
    {batch_group_count = 1 : i64, feature_group_count = 8 : i64} : (tensor<1x5x5x8xf32>, tensor<3x3x1x8xf32>) -> tensor<1x5x5x8xf32>
  %2 = stablehlo.convolution(%1, %w2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x5x8xf32>, tensor<2x2x8x4xf32>) -> tensor<1x10x10x4xf32>
  %3 = "stablehlo.reduce_window"(%2, %least) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %m = stablehlo.maximum %a, %b : tensor<f32>
      stablehlo.return %m : tensor<f32>
  }) : (tensor<1x10x10x4xf32>, tensor<f32>) -> tensor<1x5x5x4xf32>
  %4 = stablehlo.pad %3, %zero, low = [0, 0, 1, 0], high = [0, 0, -1, 0], interior = [0, 0, 1, 0] : (tensor<1x5x5x4xf32>, tensor<f32>) -> tensor<1x5x9x4xf32>
  %5 = stablehlo.concatenate %3, %4, dim = 2 : (tensor<1x5x5x4xf32>, tensor<1x5x9x4xf32>) -> tensor<1x5x14x4xf32>
  %6 = stablehlo.reshape %3 : (tensor<1x5x5x4xf32>) -> tensor<5x20xf32>
  %v, %i = chlo.top_k(%6, k = 3) : tensor<5x20xf32> -> (tensor<5x3xf32>, tensor<5x3xi32>)
  return %5, %v, %i : tensor<1x5x14x4xf32>, tensor<5x3xf32>, tensor<5x3xi32>
}
