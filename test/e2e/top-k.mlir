// The largest numbers of an unsigned type begin with a one: they are no negative ones. 0 is before -0, and NaN first.
// RUN: heddle compare %s
func.func @main(%x: tensor<3x7xui8>, %z: tensor<2x9xi32>) -> (tensor<3x4xui8>, tensor<3x4xi32>, tensor<2x9xf32>, tensor<2x9xi32>) {
  %many = stablehlo.constant dense<63> : tensor<3x7xui8>
  %y = stablehlo.multiply %x, %many : tensor<3x7xui8>
  %0, %1 = chlo.top_k(%y, k = 4) : tensor<3x7xui8> -> (tensor<3x4xui8>, tensor<3x4xi32>)
  %none = stablehlo.constant dense<0> : tensor<2x9xi32>
  %zero = stablehlo.minimum %z, %none : tensor<2x9xi32>
  %nothing = stablehlo.maximum %zero, %none : tensor<2x9xi32>
  %bits = stablehlo.constant dense<[[0x80000000, 0, 0x3F800000, 0x80000000, 0, 0x7FC00000, 0xBF800000, 0, 0x80000000], [0, 0x80000000, 0, 0, 0x80000000, 0x7F800000, 0x80000000, 0x7FC00000, 0x80000000]]> : tensor<2x9xi32>
  %all = stablehlo.or %bits, %nothing : tensor<2x9xi32>
  %f = stablehlo.bitcast_convert %all : (tensor<2x9xi32>) -> tensor<2x9xf32>
  %2, %3 = chlo.top_k(%f, k = 9) : tensor<2x9xf32> -> (tensor<2x9xf32>, tensor<2x9xi32>)
  return %0, %1, %2, %3 : tensor<3x4xui8>, tensor<3x4xi32>, tensor<2x9xf32>, tensor<2x9xi32>
}
