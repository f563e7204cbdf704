// RUN: not heddle test --interpret --show-skipped %s %S/Inputs/skipped.mlir | FileCheck %s
// RUN: not heddle test --interpret --json %s | FileCheck --check-prefix=JSON %s

// A failed check names the first differing index and both values.
func.func @differs() {
  %x = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  "check.expect_eq_const"(%x) {value = dense<[[1.0, 2.0], [3.5, 4.5]]> : tensor<2x2xf32>} : (tensor<2x2xf32>) -> ()
  // CHECK: failures.mlir: check.expect_eq at [1, 0] 3, expected 3.5; 2 of 4 elements differ
  %y = stablehlo.constant dense<1.0> : tensor<f32>
  "check.expect_close_const"(%y) {value = dense<1.0000006> : tensor<f32>} : (tensor<f32>) -> ()
  // CHECK: failures.mlir: check.expect_close at [] 1, expected 1.0000006 (5 ULP apart); 1 of 1 elements differ
  "check.expect_almost_eq_const"(%y) {value = dense<1.2> : tensor<f32>, tolerance = 0.1 : f64} : (tensor<f32>) -> ()
  // CHECK: failures.mlir: check.expect_almost_eq at []
  return
}

// -----

// A bomb ends in an error before it costs memory.
func.func @bomb() {
  %x = stablehlo.iota dim = 0 : tensor<1099511627776xf32>
  // CHECK: failures.mlir: [HDL-0601] 'stablehlo.iota' needs a tensor of type 'tensor<1099511627776xf32>'
  "check.expect_eq"(%x, %x) : (tensor<1099511627776xf32>, tensor<1099511627776xf32>) -> ()
  return
}

// -----

func.func @unknown_call() {
  // CHECK: failures.mlir: [HDL-0380] 'stablehlo.custom_call' calls 'foo', which the interpreter does not know
  %x = stablehlo.custom_call @foo() : () -> tensor<f32>
  "check.expect_eq"(%x, %x) : (tensor<f32>, tensor<f32>) -> ()
  return
}

// -----

func.func @wrong_shape() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %shape = stablehlo.add %one, %one : tensor<1xi32>
  // CHECK: failures.mlir: [HDL-0381] 'stablehlo.dynamic_reshape' changes the number of elements
  %y = stablehlo.dynamic_reshape %x, %shape : (tensor<3xi32>, tensor<1xi32>) -> tensor<?xi32>
  "check.expect_eq"(%y, %y) : (tensor<?xi32>, tensor<?xi32>) -> ()
  return
}

// -----

// CHECK: failures.mlir: custom op 'this' is unknown
this is no module

// CHECK: skipped.mlir: skipped: @main takes arguments
// CHECK: 0 passed, 1 failed, 1 skipped

// JSON: "failed": 1
// JSON: "message": "check.expect_eq at [1, 0] 3, expected 3.5; 2 of 4 elements differ"
