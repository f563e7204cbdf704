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

func.func private @scaled(tensor<4xf32>, f32, i8) -> tensor<4xf32> attributes {kernel.entry}
// CHECK: plan.program @numbers arena 0 {
plan.program @numbers arena 0 {
  %x = plan.buffer input 0 size 16 "x"
  %y = plan.buffer output 0 size 16 "y"
  // CHECK: plan.launch @scaled reads(%{{.*}}) writes(%{{.*}}) integers [1048576000, 253] nodes []
  plan.launch @scaled reads(%x) writes(%y) integers [1048576000, 253] nodes []
}

func.func private @less(tensor<i32>) -> tensor<i1> attributes {kernel.entry}
// CHECK: plan.program @control arena 64 {
plan.program @control arena 64 {
  %x = plan.buffer input 0 size 4 "x"
  %p = plan.buffer arena 0 size 1 ""
  %y = plan.buffer output 0 size 4 "y"
  // CHECK: plan.loop condition {
  // CHECK-NEXT: plan.launch @less
  // CHECK-NEXT: } while %{{.*}} do {
  // CHECK-NEXT: plan.branch %{{.*}} cases {
  // CHECK-NEXT: plan.copy
  // CHECK-NEXT: }, {
  // CHECK-NEXT: } nodes ["if"]
  // CHECK-NEXT: } nodes ["while"]
  plan.loop condition {
    plan.launch @less reads(%x) writes(%p) nodes []
  } while %p do {
    plan.branch %x cases {
      plan.copy %x to %y nodes []
    }, {
    } nodes ["if"]
  } nodes ["while"]
}
