// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

// The generators' published test vectors: counter and key zero (Random123's kat_vectors).
func.func @known_answers() {
  %zero = stablehlo.constant dense<0> : tensor<2xui64>
  %state, %bits = stablehlo.rng_bit_generator %zero, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<2xui32>)
  "check.expect_eq_const"(%bits) {value = dense<[0x6b200159, 0x99ba4efe]> : tensor<2xui32>} : (tensor<2xui32>) -> ()
  "check.expect_eq_const"(%state) {value = dense<[0, 1]> : tensor<2xui64>} : (tensor<2xui64>) -> ()
  %zeros = stablehlo.constant dense<0> : tensor<3xui64>
  %next, %words = stablehlo.rng_bit_generator %zeros, algorithm = PHILOX : (tensor<3xui64>) -> (tensor<3xui64>, tensor<4xui32>)
  "check.expect_eq_const"(%words) {value = dense<[0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]> : tensor<4xui32>} : (tensor<4xui32>) -> ()
  "check.expect_eq_const"(%next) {value = dense<[0, 1, 0]> : tensor<3xui64>} : (tensor<3xui64>) -> ()
  return
}

// -----

// Uniform numbers stay inside their bounds, the upper one excluded.
func.func @bounds() {
  %low = stablehlo.constant dense<2.0> : tensor<f32>
  %high = stablehlo.constant dense<3.0> : tensor<f32>
  %shape = stablehlo.constant dense<[1000]> : tensor<1xi64>
  %x = stablehlo.rng %low, %high, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<1000xf32>
  %floor = stablehlo.floor %x : tensor<1000xf32>
  "check.expect_eq_const"(%floor) {value = dense<2.0> : tensor<1000xf32>} : (tensor<1000xf32>) -> ()
  return
}
