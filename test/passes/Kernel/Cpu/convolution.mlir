// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v4 --split-input-file %s | FileCheck %s

// Seven columns are one tile. Of its first column the leftmost tap lies in the
// padding, of its last column the rightmost one: three runs of taps, of which
// the outer two change six of the seven rows' sums only. Rows of the window
// are a loop with computed bounds.

// CHECK-LABEL: func.func @borders
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>
// CHECK: %[[LOW:.*]] = arith.minsi
// CHECK: %[[HIGH:.*]] = arith.minsi
// CHECK: scf.for %{{.*}} = %[[LOW]] to %[[HIGH]]
// CHECK: scf.for
// CHECK-COUNT-24: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: scf.for
// CHECK-COUNT-28: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: scf.for
// CHECK-COUNT-24: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: vector.store
func.func @borders(%x: tensor<16x7x7x8xf32>, %w: tensor<1x1x3x3x8x32xf32>) -> tensor<16x7x7x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<16x7x7x8xf32>, tensor<1x1x3x3x8x32xf32> -> tensor<16x7x7x32xf32>
  return %0 : tensor<16x7x7x32xf32>
}

// -----

// Without padding the bounds are constants.

// CHECK-LABEL: func.func @inside
// CHECK-NOT: arith.minsi
// CHECK: return
func.func @inside(%x: tensor<1x9x9x8xf32>, %w: tensor<1x1x3x3x8x32xf32>) -> tensor<1x7x7x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x9x9x8xf32>, tensor<1x1x3x3x8x32xf32> -> tensor<1x7x7x32xf32>
  return %0 : tensor<1x7x7x32xf32>
}

// -----

// Depthwise: both factors are vectors of channels.

// CHECK-LABEL: func.func @depthwise
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>, %[[W:[^:]*]]: memref<?xf32>
// CHECK: %[[WEIGHT:.*]] = vector.load %[[W]]
// CHECK: %[[POINT:.*]] = vector.load %[[X]]
// CHECK-NEXT: math.fma %[[POINT]], %[[WEIGHT]]
// CHECK-NOT: vector.broadcast
func.func @depthwise(%x: tensor<1x9x9x32xf32>, %w: tensor<3x3x1x32xf32>) -> tensor<1x7x7x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 32 : i64
  } : tensor<1x9x9x32xf32>, tensor<3x3x1x32xf32> -> tensor<1x7x7x32xf32>
  return %0 : tensor<1x7x7x32xf32>
}

// -----

// Transposed: of the rows of the window those are walked that fall on a point
// of the input. The columns are two phases of four, each of which meets one of
// the two columns of the window.

// CHECK-LABEL: func.func @transposed
// CHECK-SAME: %[[X:[^:]*]]: memref<?xf32>
// CHECK: arith.select
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: arith.select
// CHECK-COUNT-4: memref.load %[[X]]
// CHECK-NOT: memref.load
// CHECK: return
func.func @transposed(%x: tensor<1x4x4x8xf32>, %w: tensor<1x1x2x2x8x32xf32>) -> tensor<1x8x8x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 2, 2>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x4x4x8xf32>, tensor<1x1x2x2x8x32xf32> -> tensor<1x8x8x32xf32>
  return %0 : tensor<1x8x8x32xf32>
}

// -----

// Of more than 16 phases each tap is asked.

// CHECK-LABEL: func.func @transposed_apart
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: %[[POINT:.*]] = arith.cmpi eq
// CHECK: %[[TAKEN:.*]] = arith.andi %[[INSIDE]], %[[POINT]]
// CHECK: scf.if %[[TAKEN]]
func.func @transposed_apart(%x: tensor<1x4x4x8xf32>, %w: tensor<1x1x2x2x8x32xf32>) -> tensor<1x53x8x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 17, 2>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x4x4x8xf32>, tensor<1x1x2x2x8x32xf32> -> tensor<1x53x8x32xf32>
  return %0 : tensor<1x53x8x32xf32>
}
