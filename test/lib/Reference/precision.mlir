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
  return
}
