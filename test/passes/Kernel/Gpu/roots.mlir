// RUN: heddle-opt %s --heddle-lower-gpu-kernels --split-input-file | FileCheck %s
// Roots that choose among elements, change a tensor in its place, or put elements in order.

module attributes {heddle.target = "cuda:sm_80"} {
  // Padding is asked for at each tap.
  // CHECK-LABEL: func.func @convolution
  // CHECK-SAME: kernel.tiles = 18 : i64
  // CHECK: scf.for {{.*}} to %c3
  // CHECK: scf.for {{.*}} to %c3
  // CHECK: arith.cmpi ult
  // CHECK: scf.if
  // CHECK: scf.for {{.*}} to %c4
  // CHECK: math.fma
  func.func @convolution(%x: tensor<1x3x3x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x3x3x2xf32> attributes {kernel.entry} {
    %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x3x3x4xf32>, tensor<3x3x4x2xf32> -> tensor<1x3x3x2xf32>
    return %0 : tensor<1x3x3x2xf32>
  }
}

// -----

module attributes {heddle.target = "cuda:sm_80"} {
  // CHECK-LABEL: func.func @pad
  // CHECK: scf.if %{{.*}} -> (f32)
  // CHECK: memref.load %arg0
  // CHECK: else
  // CHECK: arith.constant 7.000000e+00 : f32
  func.func @pad(%x: tensor<3xf32>) -> tensor<8xf32> attributes {kernel.entry} {
    %v = arith.constant 7.0 : f32
    %0 = kernel.pad %x, %v {low = array<i64: 1>, high = array<i64: 2>, interior = array<i64: 1>} : tensor<3xf32>, f32 -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  // CHECK-LABEL: func.func @join
  // CHECK: scf.if
  // CHECK: memref.load %arg0
  // CHECK: else
  // CHECK: memref.load %arg1
  func.func @join(%x: tensor<2x3xf32>, %y: tensor<2x5xf32>) -> tensor<2x8xf32> attributes {kernel.entry} {
    %0 = kernel.concatenate %x, %y {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    return %0 : tensor<2x8xf32>
  }
}

// -----

module attributes {heddle.target = "cuda:sm_80"} {
  // Only the update is written.
  // CHECK-LABEL: func.func @update
  // CHECK-SAME: kernel.tiles = 8 : i64
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  // CHECK: memref.store %{{.*}}, %arg4
  func.func @update(%cache: tensor<64x8xf32> {kernel.tied = 0 : i64}, %x: tensor<1x8xf32>, %i: tensor<i64>, %j: tensor<i64>) -> tensor<64x8xf32> attributes {kernel.entry} {
    %0 = kernel.dynamic_update_slice %cache, %x, (%i, %j) : tensor<64x8xf32>, tensor<1x8xf32>, (tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
    return %0 : tensor<64x8xf32>
  }
  // A thread has one element of the target and walks the updates in their order.
  // CHECK-LABEL: func.func @scatter
  // CHECK-SAME: kernel.tiles = 40 : i64
  // CHECK: %[[OLD:.*]] = memref.load %arg3
  // CHECK: %[[NEW:.*]] = scf.for {{.*}} to %c3 {{.*}} iter_args({{.*}} = %[[OLD]])
  // CHECK: scf.if
  // CHECK: arith.addf
  // CHECK: memref.store %[[NEW]], %arg3
  func.func @scatter(%x: tensor<10x4xf32> {kernel.tied = 0 : i64}, %i: tensor<3x1xi64>, %u: tensor<3x4xf32>) -> tensor<10x4xf32> attributes {kernel.entry} {
    %0 = kernel.scatter targets(%x) indices(%i) updates(%u) {
      update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64
    } : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32> {
    ^bb0(%old: f32, %new: f32):
      %s = arith.addf %old, %new : f32
      kernel.yield %s : f32
    }
    return %0 : tensor<10x4xf32>
  }
}

// -----

module attributes {heddle.target = "cuda:sm_80"} {
  // An element's place is the number of those that go before it.
  // CHECK-LABEL: func.func @sort
  // CHECK-SAME: kernel.tiles = 18 : i64
  // CHECK: %[[OWN:.*]] = memref.load %arg0
  // CHECK: %[[RANK:.*]] = scf.for {{.*}} to %c9{{.*}} -> (index)
  // CHECK: arith.addi %{{.*}}, %[[RANK]]
  // CHECK: memref.store %[[OWN]], %arg1
  func.func @sort(%x: tensor<2x9xf32>) -> tensor<2x9xf32> attributes {kernel.entry} {
    %0 = kernel.sort %x {dimension = 1 : i64} : (tensor<2x9xf32>) -> tensor<2x9xf32> {
    ^bb0(%a: f32, %b: f32):
      %less = arith.cmpf olt, %a, %b : f32
      kernel.yield %less : i1
    }
    return %0 : tensor<2x9xf32>
  }
}
