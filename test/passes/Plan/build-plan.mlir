// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// Results go where the caller wants them, a reshape is the same buffer, and
// what is not alive at once shares its place.
func.func private @k(tensor<4x8xf32>) -> tensor<4x8xf32> attributes {kernel.entry}
func.func private @flat(tensor<32xf32>) -> tensor<32xf32> attributes {kernel.entry}
// CHECK: plan.program @main arena 256 {
// CHECK-NEXT: %[[X:.*]] = plan.buffer input 0 size 128 "x"
// CHECK-NEXT: %[[A:.*]] = plan.buffer arena [[PA:.*]] size 128 ""
// CHECK-NEXT: %[[B:.*]] = plan.buffer arena {{.*}} size 128 ""
// CHECK-NEXT: %[[C:.*]] = plan.buffer arena [[PA]] size 128 ""
// CHECK-NEXT: %[[Y:.*]] = plan.buffer output 0 size 128 "y"
// CHECK-NEXT: plan.launch @k reads(%[[X]]) writes(%[[A]]) nodes ["first"]
// CHECK-NEXT: plan.launch @flat reads(%[[A]]) writes(%[[B]]) nodes []
// CHECK-NEXT: plan.launch @flat reads(%[[B]]) writes(%[[C]]) nodes []
// CHECK-NEXT: plan.launch @flat reads(%[[C]]) writes(%[[Y]]) nodes []
func.func @main(%x: tensor<4x8xf32> {heddle.name = "x"}) -> (tensor<32xf32> {heddle.name = "y"}) {
  %0 = kernel.launch @k(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> loc("first")
  %1 = tensor.collapse_shape %0 [[0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  %2 = kernel.launch @flat(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = kernel.launch @flat(%2) : (tensor<32xf32>) -> tensor<32xf32>
  %4 = kernel.launch @flat(%3) : (tensor<32xf32>) -> tensor<32xf32>
  return %4 : tensor<32xf32>
}

// -----

// In place where the input dies, not where it lives on, never over the caller's input.
func.func private @k(tensor<32xf32> {kernel.in_place = 0}) -> tensor<32xf32> attributes {kernel.entry}
func.func private @two(tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32> attributes {kernel.entry}
// CHECK: plan.program @main
// CHECK: %[[X:.*]] = plan.buffer input 0
// CHECK: plan.launch @k reads(%[[X]]) writes(%[[A:.*]]) nodes
// CHECK-NEXT: plan.launch @k reads(%[[A]]) writes(%[[A]]) nodes
// CHECK-NEXT: plan.launch @k reads(%[[A]]) writes(%[[B:.*]]) nodes
// CHECK-NEXT: plan.launch @two reads(%[[A]], %[[B]])
func.func @main(%x: tensor<32xf32>) -> tensor<32xf32> {
  %0 = kernel.launch @k(%x) : (tensor<32xf32>) -> tensor<32xf32>
  %1 = kernel.launch @k(%0) : (tensor<32xf32>) -> tensor<32xf32>
  %2 = kernel.launch @k(%1) : (tensor<32xf32>) -> tensor<32xf32>
  %3 = kernel.launch @two(%1, %2) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}

// -----

// A tied input that may not be overwritten is copied first; results that are no
// buffers of their own are copied last.
func.func private @update(tensor<32xf32> {kernel.tied = 0}, tensor<4xf32>) -> tensor<32xf32> attributes {kernel.entry}
kernel.weight @w : tensor<4xf32> {
  %0 = stablehlo.constant dense<1.0> : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}
// CHECK: plan.program @main arena 0
// CHECK-DAG: %[[X:.*]] = plan.buffer input 0 size 128 "arg0"
// CHECK-DAG: %[[W:.*]] = plan.buffer weight 0 size 16 "w"
// CHECK-DAG: %[[Y:.*]] = plan.buffer output 0 size 128 "out0"
// CHECK-DAG: %[[X2:.*]] = plan.buffer output 1 size 128 "out1"
// CHECK-DAG: %[[W2:.*]] = plan.buffer output 2 size 16 "out2"
// CHECK: plan.copy %[[X]] to %[[Y]]
// CHECK-NEXT: plan.launch @update reads(%[[Y]], %[[W]]) writes(%[[Y]])
// CHECK-NEXT: plan.copy %[[X]] to %[[X2]]
// CHECK-NEXT: plan.copy %[[W]] to %[[W2]]
func.func @main(%x: tensor<32xf32>) -> (tensor<32xf32>, tensor<32xf32>, tensor<4xf32>) {
  %w = kernel.weight_ref @w : tensor<4xf32>
  %0 = kernel.launch @update(%x, %w) : (tensor<32xf32>, tensor<4xf32>) -> tensor<32xf32>
  return %0, %x, %w : tensor<32xf32>, tensor<32xf32>, tensor<4xf32>
}

// -----

// Numbers are passed as their bits, zeros above them.
func.func private @scaled(tensor<4xf32>, f32, i8) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @numbers
// CHECK: plan.launch @scaled reads(%{{.*}}) writes(%{{.*}}) integers [1048576000, 253] nodes []
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = kernel.launch @scaled(%x) scalars [0.25 : f32, -3 : i8] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
