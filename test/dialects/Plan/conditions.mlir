// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @large(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK: plan.program @few guard <-is_positive(rows - 8) + 1> arena 0 {
plan.program @few guard <is_positive(9 - rows)> arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.launch @k reads(%{{.*}}) writes(%{{.*}}) alternatives [#plan.alternative<@large, <is_positive(rows - 63)>>] nodes ["Relu_0"]
  plan.launch @k reads(%x) writes(%y) alternatives [#plan.alternative<@large, <is_positive(rows - 63)>>] nodes ["Relu_0"]
}
// CHECK: plan.program @main arena 0 {
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.branch where [#size.expression<is_positive(rows - 63)>] cases {
  // CHECK-NEXT: plan.launch @large
  // CHECK-NEXT: }, {
  // CHECK-NEXT: plan.launch @k
  // CHECK-NEXT: } nodes []
  plan.branch where [#size.expression<is_positive(rows - 63)>] cases {
    plan.launch @large reads(%x) writes(%y) nodes []
  }, {
    plan.launch @k reads(%x) writes(%y) nodes []
  } nodes []
}
