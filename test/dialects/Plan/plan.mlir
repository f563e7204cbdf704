// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK: plan.program @main arena 64 {
plan.program @main arena 64 {
  // CHECK: %[[X:.*]] = plan.buffer input 0 size 16 "x"
  %x = plan.buffer input 0 size 16 "x"
  // CHECK: %[[T:.*]] = plan.buffer arena 0 size 16 ""
  %t = plan.buffer arena 0 size 16 ""
  // CHECK: %[[Y:.*]] = plan.buffer output 0 size 16 "y"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.launch @k reads(%[[X]]) writes(%[[T]]) nodes ["Relu_0"]
  plan.launch @k reads(%x) writes(%t) nodes ["Relu_0"]
  // CHECK: plan.copy %[[T]] to %[[Y]] nodes []
  plan.copy %t to %y nodes []
}
