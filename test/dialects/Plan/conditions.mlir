// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-DAG: #[[FEW:.*]] = affine_set<()[s0] : (-s0 + 8 >= 0)>
// CHECK-DAG: #[[MANY:.*]] = affine_set<()[s0] : (s0 - 64 >= 0)>
#many = affine_set<()[s0] : (s0 - 64 >= 0)>
func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
func.func private @large(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK: plan.program @few guard #[[FEW]] arena 0 {
plan.program @few guard affine_set<()[s0] : (8 - s0 >= 0)> arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.launch @k reads(%{{.*}}) writes(%{{.*}}) alternatives [#plan.alternative<@large, #[[MANY]]>] nodes ["Relu_0"]
  plan.launch @k reads(%x) writes(%y) alternatives [#plan.alternative<@large, #many>] nodes ["Relu_0"]
}
// CHECK: plan.program @main arena 0 {
plan.program @main arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.branch where [#[[MANY]]] cases {
  // CHECK-NEXT: plan.launch @large
  // CHECK-NEXT: }, {
  // CHECK-NEXT: plan.launch @k
  // CHECK-NEXT: } nodes []
  plan.branch where [affine_set<()[s0] : (s0 - 64 >= 0)>] cases {
    plan.launch @large reads(%x) writes(%y) nodes []
  }, {
    plan.launch @k reads(%x) writes(%y) nodes []
  } nodes []
}
