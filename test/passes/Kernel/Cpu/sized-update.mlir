// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// As many rows are written as a call has, each where the tensor of a known size has it, and the start is held so that all of them fit.

// CHECK-LABEL: func.func @update(
// CHECK-SAME: kernel.size_arguments = #size.extents<
// CHECK: arith.subi %c12
// CHECK: arith.minsi
// CHECK: return
func.func @update(%target: tensor<3x12x16xf32> {kernel.tied = 0 : i64}, %rows: tensor<3x9x16xf32, #size.extents<3, n, 16>>, %at: tensor<i32>, %zero: tensor<i32>)
    -> tensor<3x12x16xf32> attributes {kernel.entry} {
  %0 = kernel.dynamic_update_slice %target, %rows, (%zero, %at, %zero)
    : tensor<3x12x16xf32>, tensor<3x9x16xf32, #size.extents<3, n, 16>>, (tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<3x12x16xf32>
  return %0 : tensor<3x12x16xf32>
}
