// A program that computes nothing has no kernels, and an artifact all the same.
// RUN: heddle compare %s
func.func @main(%x: tensor<1x2xi1>, %y: tensor<3xf32>) -> (tensor<2xi1>, tensor<3xf32>) {
  %0 = stablehlo.reshape %x : (tensor<1x2xi1>) -> tensor<2xi1>
  return %0, %y : tensor<2xi1>, tensor<3xf32>
}
