// Remainders by subnormal numbers, exact like all others: what fmod gives.
// RUN: heddle test %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped
func.func @main() {
  %in:4 = call @inputs() : () -> (tensor<6xf64>, tensor<6xf64>, tensor<4xf32>, tensor<4xf32>)
  %0 = stablehlo.remainder %in#0, %in#1 : tensor<6xf64>
  %1 = stablehlo.remainder %in#2, %in#3 : tensor<4xf32>
  %want:2 = call @expected() : () -> (tensor<6xf64>, tensor<4xf32>)
  "check.expect_eq"(%0, %want#0) : (tensor<6xf64>, tensor<6xf64>) -> ()
  "check.expect_eq"(%1, %want#1) : (tensor<4xf32>, tensor<4xf32>) -> ()
  return
}
func.func private @inputs() -> (tensor<6xf64>, tensor<6xf64>, tensor<4xf32>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<"0x763B7730D142EE7F000000000000F03F0000000000000CC0010000000000000059F3F8C21F6EA501000000000000F07F"> : tensor<6xf64>
  %1 = stablehlo.constant dense<"0x03000000000000002BE6708B68120000C4130000000000002BE6708B68120000709E1500000000002BE6708B68120000"> : tensor<6xf64>
  %2 = stablehlo.constant dense<"0x9EC97F7F0000003F0000C0BF00004040"> : tensor<4xf32>
  %3 = stablehlo.constant dense<"0x01000000C21601808313000098E30A00"> : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<6xf64>, tensor<6xf64>, tensor<4xf32>, tensor<4xf32>
}
func.func private @expected() -> (tensor<6xf64>, tensor<4xf32>) {
  %0 = stablehlo.constant dense<"0x0200000000000000409C94E474060000040A0000000000800100000000000000A097040000000000000000000000F8FF"> : tensor<6xf64>
  %1 = stablehlo.constant dense<"0x00000000289700003000008060AC0700"> : tensor<4xf32>
  return %0, %1 : tensor<6xf64>, tensor<4xf32>
}
