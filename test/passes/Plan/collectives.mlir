// Collectives are commands between launches, in the order of the program; a result goes where the caller wants it.
// RUN: heddle-opt %s --heddle-build-plan | FileCheck %s

func.func private @k(tensor<i32>, tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[X:.*]] = plan.buffer input 0 size 16 "x"
// CHECK: %[[Y:.*]] = plan.buffer output 0 size 32 "y"
// CHECK: plan.rank to %[[R:.*]]
// CHECK-NEXT: plan.launch @k reads(%[[R]], %[[X]]) writes(%[[A:.*]]) nodes
// CHECK-NEXT: plan.collective "all_reduce" by "sum" %[[A]] to %[[B:.*]] groups [0, 1] of 2 type f32 channel 1 nodes ["dot"]
// CHECK-NEXT: plan.collective "all_gather" %[[B]] to %[[Y]] groups [1, 0] of 2 type f32 nodes []
func.func @main(%x: tensor<4xf32> {heddle.name = "x"}) -> (tensor<2x4xf32> {heddle.name = "y"}) {
  %r = kernel.rank : tensor<i32>
  %0 = kernel.launch @k(%r, %x) : (tensor<i32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = kernel.collective "all_reduce" by "sum"(%0) groups [0, 1] of 2 type f32 channel 1 : tensor<4xf32> -> tensor<4xf32> loc("dot")
  %2 = kernel.collective "all_gather"(%1) groups [1, 0] of 2 type f32 : tensor<4xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}
