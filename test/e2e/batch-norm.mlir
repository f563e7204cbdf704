// Batch normalisation and its gradient, compiled against interpreted.
// RUN: heddle compare %s
func.func @main(%x: tensor<4x3x7xf32>, %h: tensor<5x2xbf16>, %s: tensor<3xf32>, %hs: tensor<2xbf16>, %g: tensor<4x3x7xf32>)
    -> (tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x2xbf16>) {
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %s) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>)
  %3, %4, %5 = "stablehlo.batch_norm_grad"(%x, %s, %1, %2, %g) <{epsilon = 0.01 : f32, feature_index = 1 : i64}> : (tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x7xf32>) -> (tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>)
  %6, %7, %8 = "stablehlo.batch_norm_training"(%h, %hs, %hs) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<5x2xbf16>, tensor<2xbf16>, tensor<2xbf16>) -> (tensor<5x2xbf16>, tensor<2xbf16>, tensor<2xbf16>)
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3x7xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5x2xbf16>
}
