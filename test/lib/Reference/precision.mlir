// What is stored for a number, at the ends of ranges that no double holds.
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @main() {
  %x = stablehlo.constant dense<[0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000, 9.3e18, -9.3e18, 2.5, -2.5]> : tensor<7xf64>
  %scale = stablehlo.constant dense<1.0> : tensor<f64>
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %q = prec.quantize %x, %scale, %zero rounding nearest_even range -9223372036854775808 to 9223372036854775807 : tensor<7xf64>, tensor<f64>, tensor<i64> -> tensor<7xi64>
  "check.expect_eq_const"(%q) {value = dense<[9223372036854775807, -9223372036854775808, 0, 9223372036854775807, -9223372036854775808, 2, -2]> : tensor<7xi64>} : (tensor<7xi64>) -> ()
  %some = prec.quantize %x, %scale, %zero rounding toward_zero range 3 to 9223372036854775806 : tensor<7xf64>, tensor<f64>, tensor<i64> -> tensor<7xi64>
  "check.expect_eq_const"(%some) {value = dense<[9223372036854775806, 3, 3, 9223372036854775806, 3, 3, 3]> : tensor<7xi64>} : (tensor<7xi64>) -> ()
  // Factors are differences; a scale that 32 bits do not hold the product with wraps around.
  %bytes = stablehlo.constant dense<[[0, 255, 7], [200, 0, 255]]> : tensor<2x3xui8>
  %factor = stablehlo.constant dense<[1, 1, 16777216]> : tensor<3xi32>
  %points = stablehlo.constant dense<[255, 0, 7]> : tensor<3xui8>
  %differences = prec.dequantize %bytes, %factor, %points axis 1 : tensor<2x3xui8>, tensor<3xi32>, tensor<3xui8> -> tensor<2x3xi32>
  "check.expect_eq_const"(%differences) {value = dense<[[-255, 255, 0], [-55, 0, -134217728]]> : tensor<2x3xi32>} : (tensor<2x3xi32>) -> ()
  // Blocks of two along either dimension, the last of one.
  %numbers = stablehlo.constant dense<[[0, 15, 7], [8, 1, 2], [3, 4, 5]]> : tensor<3x3xui4>
  %down = stablehlo.constant dense<[[1.0, 2.0, 4.0], [8.0, 16.0, 32.0]]> : tensor<2x3xf32>
  %downZero = stablehlo.constant dense<[[8, 0, 7], [1, 4, 6]]> : tensor<2x3xui4>
  %below = prec.dequantize %numbers, %down, %downZero axis 0 block 2 : tensor<3x3xui4>, tensor<2x3xf32>, tensor<2x3xui4> -> tensor<3x3xf32>
  "check.expect_eq_const"(%below) {value = dense<[[-8.0, 30.0, 0.0], [0.0, 2.0, -20.0], [16.0, 0.0, -32.0]]> : tensor<3x3xf32>} : (tensor<3x3xf32>) -> ()
  %across = stablehlo.constant dense<[[1.0, 2.0], [4.0, 8.0], [16.0, 32.0]]> : tensor<3x2xf32>
  %acrossZero = stablehlo.constant dense<[[8, 0], [7, 1], [4, 6]]> : tensor<3x2xui4>
  %beside = prec.dequantize %numbers, %across, %acrossZero axis 1 block 2 : tensor<3x3xui4>, tensor<3x2xf32>, tensor<3x2xui4> -> tensor<3x3xf32>
  "check.expect_eq_const"(%beside) {value = dense<[[-8.0, 7.0, 14.0], [4.0, -24.0, 8.0], [-16.0, 0.0, -32.0]]> : tensor<3x3xf32>} : (tensor<3x3xf32>) -> ()
  %back = prec.quantize %beside, %across, %acrossZero axis 1 block 2 rounding nearest_even range 1 to 14 : tensor<3x3xf32>, tensor<3x2xf32>, tensor<3x2xui4> -> tensor<3x3xui4>
  "check.expect_eq_const"(%back) {value = dense<[[1, 14, 7], [8, 1, 2], [3, 4, 5]]> : tensor<3x3xui4>} : (tensor<3x3xui4>) -> ()
  // A scale for each block: the largest magnitude, of two the positive one; zeros; what is not finite.
  %some_weights = stablehlo.constant dense<[[1.0, -4.0, 3.0], [-4.0, 4.0, 0.0], [0.0, 0.0, 7.0], [0x7F800000, 1.0, 2.0]]> : tensor<4x3xf32>
  %fitted = prec.fit_scale %some_weights axis 1 block 2 integer -8 : tensor<4x3xf32> -> tensor<4x2xf32>
  "check.expect_eq_const"(%fitted) {value = dense<[[0.5, -0.375], [-0.5, -0.0], [-0.0, -0.875], [0x7FC00000, -0.25]]> : tensor<4x2xf32>} : (tensor<4x2xf32>) -> ()
  %rounded = prec.fit_scale %some_weights axis 0 block 3 integer 127 : tensor<4x3xf32> -> tensor<2x3xf16>
  "check.expect_almost_eq_const"(%rounded) {value = dense<[[-0.0315, 0.0315, 0.05512], [0x7E00, 0.007874, 0.01575]]> : tensor<2x3xf16>} : (tensor<2x3xf16>) -> ()
  // Eight rows of a column in a word, the first in its lowest bits.
  %words = stablehlo.constant dense<[[[[1985229328], [267242409]]]]> : tensor<1x1x2x1xi32>
  %unpacked = prec.unpack %words "* k n -> * n/2 k/8 n%2 k%8 in u32" : tensor<1x1x2x1xi32> -> tensor<8x2xi4>
  "check.expect_eq_const"(%unpacked) {value = dense<[[0, -7], [1, -6], [2, -5], [3, -4], [4, -3], [5, -2], [6, -1], [7, 0]]> : tensor<8x2xi4>} : (tensor<8x2xi4>) -> ()
  return
}
