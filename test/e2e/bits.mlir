// Bits are elements of a row, the lowest first, of whatever width: 1, 2 and 4 too, of which kernels hold one in a byte.
// RUN: heddle test %s | FileCheck %s
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped
func.func @main() {
  %bits = stablehlo.constant dense<[[true, false, true, true, false, false, false, true], [false, true, false, false, false, false, false, false]]> : tensor<2x8xi1>
  %bytes = stablehlo.constant dense<[141, 2]> : tensor<2xui8>
  %0 = stablehlo.bitcast_convert %bits : (tensor<2x8xi1>) -> tensor<2xui8>
  stablehlo.custom_call @check.expect_eq(%0, %bytes) {has_side_effect = true} : (tensor<2xui8>, tensor<2xui8>) -> ()
  %1 = stablehlo.bitcast_convert %bytes : (tensor<2xui8>) -> tensor<2x8xi1>
  stablehlo.custom_call @check.expect_eq(%1, %bits) {has_side_effect = true} : (tensor<2x8xi1>, tensor<2x8xi1>) -> ()

  %nibbles = stablehlo.constant dense<[[-3, -8], [2, 0]]> : tensor<2x2xi4>
  %2 = stablehlo.bitcast_convert %bytes : (tensor<2xui8>) -> tensor<2x2xi4>
  stablehlo.custom_call @check.expect_eq(%2, %nibbles) {has_side_effect = true} : (tensor<2x2xi4>, tensor<2x2xi4>) -> ()
  %3 = stablehlo.bitcast_convert %nibbles : (tensor<2x2xi4>) -> tensor<2xui8>
  stablehlo.custom_call @check.expect_eq(%3, %bytes) {has_side_effect = true} : (tensor<2xui8>, tensor<2xui8>) -> ()
  %pairs = stablehlo.constant dense<[[[1, 3], [0, 2]], [[2, 0], [0, 0]]]> : tensor<2x2x2xui2>
  %4 = stablehlo.bitcast_convert %nibbles : (tensor<2x2xi4>) -> tensor<2x2x2xui2>
  stablehlo.custom_call @check.expect_eq(%4, %pairs) {has_side_effect = true} : (tensor<2x2x2xui2>, tensor<2x2x2xui2>) -> ()

  %floats = stablehlo.constant dense<[[-3.0, -0.0], [1.0, 0.0]]> : tensor<2x2xf4E2M1FN>
  %5 = stablehlo.bitcast_convert %bytes : (tensor<2xui8>) -> tensor<2x2xf4E2M1FN>
  stablehlo.custom_call @check.expect_eq(%5, %floats) {has_side_effect = true} : (tensor<2x2xf4E2M1FN>, tensor<2x2xf4E2M1FN>) -> ()
  %words = stablehlo.constant dense<[[-3, -8, 2, 0, -3, -8, 2, 0]]> : tensor<1x8xi4>
  %word = stablehlo.constant dense<0x028D028D> : tensor<1xf32>
  %6 = stablehlo.bitcast_convert %words : (tensor<1x8xi4>) -> tensor<1xf32>
  stablehlo.custom_call @check.expect_eq(%6, %word) {has_side_effect = true} : (tensor<1xf32>, tensor<1xf32>) -> ()
  return
}
