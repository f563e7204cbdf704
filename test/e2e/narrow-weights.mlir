// Constants that become weights: integers of less than a byte, floats of a byte and less, unsigned integers that are packed for a product. Each is
// held in the bits that kernels load, whatever the program calls its type.
// RUN: heddle compare %s
func.func @main(%x: tensor<4xui4>, %y: tensor<3x4xui64>, %z: tensor<3x4xui8>, %i: tensor<1x5x2xui32>)
    -> (tensor<4xui4>, tensor<4xi4>, tensor<4xi2>, tensor<4xf8E4M3FN>, tensor<4xf4E2M1FN>, tensor<3x2xui64>, tensor<3x2xui8>, tensor<1x5x16xui32>) {
  %ui4 = stablehlo.constant dense<[1, 15, 3, 8]> : tensor<4xui4>
  %i4 = stablehlo.constant dense<[1, -8, 3, 7]> : tensor<4xi4>
  %i2 = stablehlo.constant dense<[1, -2, 0, -1]> : tensor<4xi2>
  %f8 = stablehlo.constant dense<[1.0, -2.0, 0.5, -1.0]> : tensor<4xf8E4M3FN>
  %f4 = stablehlo.constant dense<[1.0, -2.0, 0.5, -1.0]> : tensor<4xf4E2M1FN>
  %0 = stablehlo.add %x, %ui4 : tensor<4xui4>
  %1 = stablehlo.convert %x : (tensor<4xui4>) -> tensor<4xi4>
  %2 = stablehlo.add %1, %i4 : tensor<4xi4>
  %3 = stablehlo.convert %x : (tensor<4xui4>) -> tensor<4xi2>
  %4 = stablehlo.add %3, %i2 : tensor<4xi2>
  %5 = stablehlo.convert %x : (tensor<4xui4>) -> tensor<4xf8E4M3FN>
  %6 = stablehlo.add %5, %f8 : tensor<4xf8E4M3FN>
  %7 = stablehlo.convert %x : (tensor<4xui4>) -> tensor<4xf4E2M1FN>
  %8 = stablehlo.multiply %7, %f4 : tensor<4xf4E2M1FN>
  %ui64 = stablehlo.constant dense<[[5, 1], [18446744073709551615, 2], [7, 9223372036854775808], [0, 4]]> : tensor<4x2xui64>
  %9 = stablehlo.dot_general %y, %ui64, contracting_dims = [1] x [0] : (tensor<3x4xui64>, tensor<4x2xui64>) -> tensor<3x2xui64>
  %ui8 = stablehlo.constant dense<[[5, 1], [255, 2], [7, 128], [0, 4]]> : tensor<4x2xui8>
  %10 = stablehlo.dot_general %z, %ui8, contracting_dims = [1] x [0] : (tensor<3x4xui8>, tensor<4x2xui8>) -> tensor<3x2xui8>
  %filter = stablehlo.constant dense<[[[4294967295, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], [1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2]]]> : tensor<1x2x16xui32>
  %11 = stablehlo.convolution(%i, %filter) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x2xui32>, tensor<1x2x16xui32>) -> tensor<1x5x16xui32>
  return %0, %2, %4, %6, %8, %9, %10, %11
    : tensor<4xui4>, tensor<4xi4>, tensor<4xi2>, tensor<4xf8E4M3FN>, tensor<4xf4E2M1FN>, tensor<3x2xui64>, tensor<3x2xui8>, tensor<1x5x16xui32>
}
