// RUN: heddle-opt %s --heddle-build-plan --split-input-file | FileCheck %s

// What is told a computed size, by whatever types its kernel has, comes behind what computes it, and so does what needs that; the count is read between.
!kept = tensor<8x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @ones() -> !kept attributes {kernel.entry}
func.func private @sum(!kept) -> tensor<4xf32> attributes {kernel.entry}
func.func private @other(tensor<8x4xf32>) -> tensor<8x4xf32> attributes {kernel.entry}
func.func private @count(tensor<8x4xf32>) -> tensor<1xi32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[X:.*]] = plan.buffer input 0
// CHECK: %[[N:.*]] = plan.buffer output 0 size 4
// CHECK: %[[ONES:.*]] = plan.buffer arena {{.*}} {bytes = #size.expression<16 * n>
// CHECK: plan.launch @other
// CHECK-NEXT: plan.launch @count reads(%[[X]]) writes(%[[N]])
// CHECK-NEXT: plan.count "n" from %[[N]]
// CHECK-NEXT: plan.launch @ones reads() writes(%[[ONES]])
// CHECK-NEXT: plan.launch @sum reads(%[[ONES]])
// CHECK-NEXT: }
func.func @main(%x: tensor<8x4xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<4xf32>, tensor<8x4xf32>) {
  %ones = kernel.launch @ones() : () -> !kept
  %sum = kernel.launch @sum(%ones) : (!kept) -> tensor<4xf32>
  %other = kernel.launch @other(%x) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %count = kernel.launch @count(%x) : (tensor<8x4xf32>) -> tensor<1xi32>
  %n = tensor.collapse_shape %count [] : tensor<1xi32> into tensor<i32>
  return %n, %sum, %other : tensor<i32>, tensor<4xf32>, tensor<8x4xf32>
}
}

// -----

// Nobody reads a count that no launch is told.
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>) attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK-NOT: plan.count
// CHECK: plan.launch @count
// CHECK-NOT: plan.count
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<8xf32> {heddle.shape = #size.extents<n>}) {
  %0:2 = kernel.launch @count(%x) : (tensor<8xf32>) -> (tensor<i32>, tensor<8xf32>)
  return %0#0, %0#1 : tensor<i32>, tensor<8xf32>
}
}

// -----

// What is left of a count is most where that is least: memory is as large as can be.
!rest = tensor<8xf32, #size.extents<-n + 8>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 8, computed}]} {
func.func private @count(tensor<8xf32>) -> tensor<i32> attributes {kernel.entry}
func.func private @rest(tensor<8xf32>) -> !rest attributes {kernel.entry}
func.func private @sum(!rest) -> tensor<f32> attributes {kernel.entry}
// CHECK-LABEL: plan.program @main
// CHECK: %[[REST:.*]] = plan.buffer arena {{[0-9]+}} size 32 ""{{$}}
// CHECK: plan.launch @rest reads(%{{.*}}) writes(%[[REST]])
func.func @main(%x: tensor<8xf32>) -> (tensor<i32> {heddle.extent = "n"}, tensor<f32>) {
  %n = kernel.launch @count(%x) : (tensor<8xf32>) -> tensor<i32>
  %rest = kernel.launch @rest(%x) : (tensor<8xf32>) -> !rest
  %sum = kernel.launch @sum(%rest) : (!rest) -> tensor<f32>
  return %n, %sum : tensor<i32>, tensor<f32>
}
}

