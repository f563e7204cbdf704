// Programs that check themselves, compiled: the operands of the checks become results, judged as in the interpreter.

// RUN: not heddle test %s | FileCheck %s
// RUN: not heddle test --jobs 1 --json %s | FileCheck --check-prefix=JSON %s
// RUN: heddle test --list %s | FileCheck --check-prefix=LIST %s

// LIST: test.mlir: @main
// LIST: test.mlir: @first
// LIST: test.mlir: @second
// LIST-NOT: @helper

// Inputs and expected values come from functions without operands, and are no constants of the compiled program.
module {
  func.func @main() -> tensor<3xf32> {
    %x = call @inputs() : () -> tensor<3xf32>
    %want = call @expected() : () -> tensor<3xf32>
    %y = stablehlo.add %x, %x : tensor<3xf32>
    stablehlo.custom_call @check.expect_close(%y, %want) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
    // CHECK: test.mlir: check.expect_close at [2] 6, expected 7 (2097152 ULP apart); 1 of 3 elements differ
    return %y : tensor<3xf32>
  }
  func.func private @inputs() -> tensor<3xf32> {
    %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
  func.func private @expected() -> tensor<3xf32> {
    %x = stablehlo.constant dense<[2.0, 4.0, 7.0]> : tensor<3xf32>
    return %x : tensor<3xf32>
  }
}

// -----

// Without @main every public function is run for itself; one value may be checked twice.
func.func @first() {
  %x = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>
  %y = call @helper(%x) : (tensor<3xi32>) -> tensor<3xi32>
  "check.expect_eq_const"(%y) {value = dense<[1, 2, 3]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  "check.expect_eq_const"(%y) {value = dense<[1, 2, 4]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  // CHECK-NEXT: test.mlir: check.expect_eq at [2] 3, expected 4; 1 of 3 elements differ
  return
}
func.func @second() {
  %x = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %y = stablehlo.not %x : tensor<2xi1>
  "check.expect_eq_const"(%y) {value = dense<[false, false]> : tensor<2xi1>} : (tensor<2xi1>) -> ()
  // CHECK-NEXT: test.mlir: check.expect_eq at [1] true, expected false; 1 of 2 elements differ
  return
}
func.func private @helper(%x: tensor<3xi32>) -> tensor<3xi32> {
  %y = stablehlo.abs %x : tensor<3xi32>
  return %y : tensor<3xi32>
}

// CHECK-NEXT: 0 passed, 1 failed, 0 skipped

// JSON: "checks": 4
// JSON: "failed": 1
// JSON: "message": "check.expect_eq at [2] 3, expected 4; 1 of 3 elements differ"
