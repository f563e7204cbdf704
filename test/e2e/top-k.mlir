// The largest numbers of an unsigned type begin with a one: they are no negative ones.
// RUN: heddle compare %s
func.func @main(%x: tensor<3x7xui8>) -> (tensor<3x4xui8>, tensor<3x4xi32>) {
  %many = stablehlo.constant dense<63> : tensor<3x7xui8>
  %y = stablehlo.multiply %x, %many : tensor<3x7xui8>
  %0, %1 = chlo.top_k(%y, k = 4) : tensor<3x7xui8> -> (tensor<3x4xui8>, tensor<3x4xi32>)
  return %0, %1 : tensor<3x4xui8>, tensor<3x4xi32>
}
