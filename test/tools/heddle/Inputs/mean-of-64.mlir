// Of as many rows as a call has what is their mean if they are 64.
func.func @main(%x: tensor<?x4xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32>, tensor<f32>) -> tensor<4xf32>
  %counts = stablehlo.constant dense<64.0> : tensor<4xf32>
  %mean = stablehlo.divide %sum, %counts : tensor<4xf32>
  return %mean : tensor<4xf32>
}
