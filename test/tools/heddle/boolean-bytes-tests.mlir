// Self-checking programs are read like models: booleans with a byte an element, as newer MLIR writes them, too.
// RUN: heddle test %s | FileCheck %s
// CHECK: 1 passed, 0 failed
func.func @main() {
  %0 = stablehlo.constant dense<"0x0100010001000100"> : tensor<8xi1>
  %1 = stablehlo.constant dense<[true, false, true, false, true, false, true, false]> : tensor<8xi1>
  check.expect_eq %0, %1 : tensor<8xi1>
  return
}
