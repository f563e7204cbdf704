// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func @concatenate
func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) -> tensor<2x8xf32> {
  // CHECK: kernel.concatenate %{{.*}}, %{{.*}} {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// CHECK-LABEL: func @concatenate_sized
func.func @concatenate_sized(%a: tensor<2x3xf32, #size.extents<2, n>>, %b: tensor<2x5xf32>) -> tensor<2x8xf32, #size.extents<2, n + 5>> {
  // CHECK: kernel.concatenate {{.*}} -> tensor<2x8xf32, #size.extents<2, n + 5>>
  %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32, #size.extents<2, n>>, tensor<2x5xf32>) -> tensor<2x8xf32, #size.extents<2, n + 5>>
  return %0 : tensor<2x8xf32, #size.extents<2, n + 5>>
}

// Sizes of parts that are never at their bounds together: the result's bound is less than theirs.
// CHECK-LABEL: func @concatenate_bounds
func.func @concatenate_bounds(%a: tensor<6xf32, #size.extents<n>>, %b: tensor<6xf32, #size.extents<6 - n>>) -> tensor<6xf32> {
  // CHECK: kernel.concatenate {{.*}} -> tensor<6xf32>
  %0 = kernel.concatenate %a, %b {dimension = 0 : i64} : (tensor<6xf32, #size.extents<n>>, tensor<6xf32, #size.extents<6 - n>>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: func @pad
func.func @pad(%x: tensor<2x3xf32>) -> tensor<2x7xf32> {
  %zero = arith.constant 0.0 : f32
  // CHECK: kernel.pad %{{.*}}, %{{.*}} {high = array<i64: 0, 3>, interior = array<i64: 0, 1>, low = array<i64: 0, -1>} : tensor<2x3xf32>, f32 -> tensor<2x7xf32>
  %0 = kernel.pad %x, %zero {low = array<i64: 0, -1>, high = array<i64: 0, 3>, interior = array<i64: 0, 1>} : tensor<2x3xf32>, f32 -> tensor<2x7xf32>
  return %0 : tensor<2x7xf32>
}

// CHECK-LABEL: func @dynamic_update_slice
func.func @dynamic_update_slice(%x: tensor<64x8xf32>, %u: tensor<1x8xf32>, %i: tensor<i64>) -> tensor<64x8xf32> {
  // CHECK: kernel.dynamic_update_slice %{{.*}}, %{{.*}}, (%[[I:.*]], %[[I]]) : tensor<64x8xf32>, tensor<1x8xf32>, (tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
  %0 = kernel.dynamic_update_slice %x, %u, (%i, %i) : tensor<64x8xf32>, tensor<1x8xf32>, (tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
  return %0 : tensor<64x8xf32>
}

// CHECK-LABEL: func @scatter
func.func @scatter(%x: tensor<10x4xf32>, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> {
  // CHECK: kernel.scatter targets(%{{.*}}) indices(%{{.*}}) updates(%{{.*}}) {{{.*}}} : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32>
  %0 = kernel.scatter targets(%x) indices(%i) updates(%u) {
    update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
    input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
    scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64
  } : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32> {
  ^bb0(%old: f32, %new: f32):
    kernel.yield %new : f32
  }
  return %0 : tensor<10x4xf32>
}

// CHECK-LABEL: func @sort
func.func @sort(%k: tensor<2x9xf32>, %v: tensor<2x9xi32>) -> tensor<2x9xi32> {
  // CHECK: kernel.sort %{{.*}}, %{{.*}} {dimension = 1 : i64} : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>)
  %0:2 = kernel.sort %k, %v {dimension = 1 : i64} : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>) {
  ^bb0(%a: f32, %b: f32, %ia: i32, %ib: i32):
    %less = arith.cmpf olt, %a, %b : f32
    kernel.yield %less : i1
  }
  return %0#1 : tensor<2x9xi32>
}

// CHECK-LABEL: func @top_k
func.func @top_k(%x: tensor<2x50xf32>) -> tensor<2x5xi32> {
  // CHECK: kernel.top_k %{{.*}} : tensor<2x50xf32> -> tensor<2x5xf32>, tensor<2x5xi32>
  %v, %i = kernel.top_k %x : tensor<2x50xf32> -> tensor<2x5xf32>, tensor<2x5xi32>
  return %i : tensor<2x5xi32>
}
