// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

// Integers wrap; division rounds to zero, x / 0 is -1 and min / -1 is min.
func.func @integers() {
  %a = stablehlo.constant dense<[127, -128, -128, 7, -7, 5]> : tensor<6xi8>
  %b = stablehlo.constant dense<[1, -1, 1, 2, 2, 0]> : tensor<6xi8>
  %sum = stablehlo.add %a, %b : tensor<6xi8>
  "check.expect_eq_const"(%sum) {value = dense<[-128, 127, -127, 9, -5, 5]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  %quotient = stablehlo.divide %a, %b : tensor<6xi8>
  "check.expect_eq_const"(%quotient) {value = dense<[127, -128, -128, 3, -3, -1]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  %rest = stablehlo.remainder %a, %b : tensor<6xi8>
  "check.expect_eq_const"(%rest) {value = dense<[0, 0, 0, 1, -1, 5]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  %absolute = stablehlo.abs %a : tensor<6xi8>
  "check.expect_eq_const"(%absolute) {value = dense<[127, -128, -128, 7, 7, 5]> : tensor<6xi8>} : (tensor<6xi8>) -> ()
  return
}

// -----

func.func @narrow_and_unsigned() {
  %a = stablehlo.constant dense<[7, -8]> : tensor<2xi4>
  %one = stablehlo.constant dense<1> : tensor<2xi4>
  %sum = stablehlo.add %a, %one : tensor<2xi4>
  "check.expect_eq_const"(%sum) {value = dense<[-8, -7]> : tensor<2xi4>} : (tensor<2xi4>) -> ()
  %u = stablehlo.constant dense<[3, 250]> : tensor<2xui8>
  %v = stablehlo.constant dense<[5, 10]> : tensor<2xui8>
  %difference = stablehlo.subtract %u, %v : tensor<2xui8>
  "check.expect_eq_const"(%difference) {value = dense<[254, 240]> : tensor<2xui8>} : (tensor<2xui8>) -> ()
  %less = stablehlo.compare LT, %u, %v, UNSIGNED : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  "check.expect_eq_const"(%less) {value = dense<[true, false]> : tensor<2xi1>} : (tensor<2xi1>) -> ()
  return
}

// -----

// NaN wins in maximum and minimum, and 0 is larger than -0.
func.func @extremes() {
  %a = stablehlo.constant dense<[0x7FC00000, 1.0, -0.0, 0xFF800000]> : tensor<4xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 0.0, 3.0]> : tensor<4xf32>
  %max = stablehlo.maximum %a, %b : tensor<4xf32>
  "check.expect_eq_const"(%max) {value = dense<[0x7FC00000, 2.0, 0.0, 3.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %inverse = stablehlo.divide %one, %max : tensor<4xf32>
  "check.expect_eq_const"(%inverse) {value = dense<[0x7FC00000, 0.5, 0x7F800000, 0x3EAAAAAB]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  %min = stablehlo.minimum %a, %b : tensor<4xf32>
  "check.expect_eq_const"(%min) {value = dense<[0x7FC00000, 1.0, -0.0, 0xFF800000]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  return
}

// -----

// One operation, rounded once to the type.
func.func @rounding() {
  %a = stablehlo.constant dense<[256.0, 1.0]> : tensor<2xbf16>
  %b = stablehlo.constant dense<[1.0, 3.906250e-03]> : tensor<2xbf16>
  %sum = stablehlo.add %a, %b : tensor<2xbf16>
  "check.expect_eq_const"(%sum) {value = dense<[256.0, 1.0]> : tensor<2xbf16>} : (tensor<2xbf16>) -> ()
  %c = stablehlo.constant dense<[448.0, -448.0]> : tensor<2xf8E4M3FN>
  %twice = stablehlo.add %c, %c : tensor<2xf8E4M3FN>
  %same = stablehlo.compare EQ, %twice, %twice : (tensor<2xf8E4M3FN>, tensor<2xf8E4M3FN>) -> tensor<2xi1>
  // Overflow of a format without infinity is NaN.
  "check.expect_eq_const"(%same) {value = dense<false> : tensor<2xi1>} : (tensor<2xi1>) -> ()
  return
}

// -----

func.func @shifts_and_bits() {
  %a = stablehlo.constant dense<[1, -8, 64, -1]> : tensor<4xi8>
  %n = stablehlo.constant dense<[3, 1, 8, -1]> : tensor<4xi8>
  %left = stablehlo.shift_left %a, %n : tensor<4xi8>
  "check.expect_eq_const"(%left) {value = dense<[8, -16, 0, 0]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  %arithmetic = stablehlo.shift_right_arithmetic %a, %n : tensor<4xi8>
  "check.expect_eq_const"(%arithmetic) {value = dense<[0, -4, 0, -1]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  %logical = stablehlo.shift_right_logical %a, %n : tensor<4xi8>
  "check.expect_eq_const"(%logical) {value = dense<[0, 124, 0, 0]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  %zeros = stablehlo.count_leading_zeros %a : tensor<4xi8>
  "check.expect_eq_const"(%zeros) {value = dense<[7, 0, 1, 0]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  %ones = stablehlo.popcnt %a : tensor<4xi8>
  "check.expect_eq_const"(%ones) {value = dense<[1, 5, 1, 8]> : tensor<4xi8>} : (tensor<4xi8>) -> ()
  return
}

// -----

func.func @clamp_and_select() {
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<1.0> : tensor<f32>
  %x = stablehlo.constant dense<[-1.0, 0.5, 2.0, 0x7FC00000]> : tensor<4xf32>
  %clamped = stablehlo.clamp %low, %x, %high : (tensor<f32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  "check.expect_eq_const"(%clamped) {value = dense<[0.0, 0.5, 1.0, 0x7FC00000]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  %pick = stablehlo.constant dense<true> : tensor<i1>
  %picked = stablehlo.select %pick, %x, %clamped : tensor<i1>, tensor<4xf32>
  "check.expect_eq"(%picked, %x) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}

// -----

func.func @nothing() {
  %x = stablehlo.constant dense<> : tensor<0x3xf32>
  %y = stablehlo.exponential %x : tensor<0x3xf32>
  "check.expect_eq"(%x, %y) : (tensor<0x3xf32>, tensor<0x3xf32>) -> ()
  return
}
