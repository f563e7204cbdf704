// RUN: heddle-opt %s --heddle-lower-graph --heddle-assign-target=target=x86-64-v3 --heddle-fuse-elementwise --heddle-form-dispatches --split-input-file | FileCheck %s

// CHECK-LABEL: func @epilogue
func.func @epilogue(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %r: tensor<8x16xf32>) -> tensor<8x16xf32> {
  // CHECK: kernel.dispatch
  // CHECK: kernel.contract
  // CHECK: linalg.generic
  // CHECK: kernel.yield
  // CHECK-NOT: kernel.dispatch
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.add %0, %r : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

// Two products that meet: the one computed last takes the sum.
// CHECK-LABEL: func @two_roots
func.func @two_roots(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %v: tensor<4x16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[A:.*]] = kernel.dispatch
  // CHECK-NOT: linalg.generic
  // CHECK: kernel.yield
  // CHECK: kernel.dispatch({{.*}} = %[[A]]
  // CHECK: kernel.contract
  // CHECK: linalg.generic
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// -----

// Softmax is one dispatch, also when a dimension of its rows has one point.
// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<1x8x16xf32>) -> tensor<1x8x16xf32> {
  // CHECK-COUNT-1: kernel.dispatch
  // CHECK-COUNT-4: linalg.generic
  // CHECK-NOT: kernel.dispatch
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
  %m1 = stablehlo.reshape %m : (tensor<1x8xf32>) -> tensor<1x8x1xf32>
  %mb = stablehlo.broadcast_in_dim %m1, dims = [0, 1, 2] : (tensor<1x8x1xf32>) -> tensor<1x8x16xf32>
  %d = stablehlo.subtract %x, %mb : tensor<1x8x16xf32>
  %e = stablehlo.exponential %d : tensor<1x8x16xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x8x16xf32>, tensor<f32>) -> tensor<1x8xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<1x8xf32>) -> tensor<1x8x16xf32>
  %q = stablehlo.divide %e, %sb : tensor<1x8x16xf32>
  return %q : tensor<1x8x16xf32>
}

// -----

// What a row is divided by goes through a product of its own: no dispatch may
// wait for itself.
// CHECK-LABEL: func @no_circle
func.func @no_circle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: kernel.dispatch
  // CHECK: kernel.dispatch
  // CHECK: kernel.contract
  // CHECK: return
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x8xf32>, tensor<f32>) -> tensor<8xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %p = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = stablehlo.exponential %b : tensor<8x8xf32>
  %0 = stablehlo.add %p, %e : tensor<8x8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func @permuted_output
func.func @permuted_output(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<16x8xf32> {
  // CHECK: kernel.contract {{.*}} -> tensor<16x8xf32>
  // CHECK: linalg.generic
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %2 = stablehlo.tanh %1 : tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// -----

// What reads as much of a product as a call has runs on no tiles of it: the product is all of the bound.
// CHECK-LABEL: func.func @packed(
// CHECK: kernel.dispatch
// CHECK: kernel.contract
// CHECK-NEXT: kernel.yield
// CHECK: kernel.dispatch
// CHECK: linalg.generic
func.func @packed(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32, #size.extents<n, 16>> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.slice %0 [0:8, 0:16] {size.limit_indices = #size.extents<n, 16>} : (tensor<8x16xf32>) -> tensor<8x16xf32, #size.extents<n, 16>>
  %2 = stablehlo.tanh %1 : tensor<8x16xf32, #size.extents<n, 16>>
  return %2 : tensor<8x16xf32, #size.extents<n, 16>>
}

// -----

// Nor do both share a kernel by their rows, where rows end elsewhere.
// CHECK-LABEL: func.func @packed_rows(
// CHECK: kernel.dispatch
// CHECK-NOT: size.extents
// CHECK: kernel.yield
// CHECK: kernel.dispatch
// CHECK: size.extents
func.func @packed_rows(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32, #size.extents<4, n>>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x8xf32>, tensor<f32>) -> tensor<4xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x8xf32>
  %0 = stablehlo.multiply %x, %b : tensor<4x8xf32>
  %1 = stablehlo.slice %0 [0:4, 0:8] {size.limit_indices = #size.extents<4, n>} : (tensor<4x8xf32>) -> tensor<4x8xf32, #size.extents<4, n>>
  %2 = stablehlo.tanh %1 : tensor<4x8xf32, #size.extents<4, n>>
  return %0, %2 : tensor<4x8xf32>, tensor<4x8xf32, #size.extents<4, n>>
}

// -----

// Points of one phase of a transposed convolution lie apart: where its channels would be written apart, too, that is done by another kernel.
// CHECK-LABEL: func @channels_apart
// CHECK: kernel.dispatch
// CHECK: kernel.convolution
// CHECK-NOT: linalg.generic
// CHECK: kernel.yield
// CHECK: kernel.dispatch
// CHECK-NOT: kernel.convolution
// CHECK: linalg.generic
// CHECK: kernel.yield
// CHECK: kernel.dispatch
// CHECK: kernel.convolution
// CHECK: linalg.generic
// CHECK: kernel.yield
// CHECK-NOT: kernel.dispatch
module attributes {heddle.symbols = [{name = "h", minimum = 1 : i64, maximum = 64 : i64}]} {
  func.func @channels_apart(%x: tensor<1x64x8xf32, #size.extents<1, h, 8>>, %w: tensor<2x8x16xf32>)
      -> (tensor<1x16x128xf32, #size.extents<1, 16, 2 * h>>, tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>) {
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x64x8xf32, #size.extents<1, h, 8>>, tensor<2x8x16xf32>) -> tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>
    %1 = stablehlo.transpose %0, dims = [0, 2, 1] : (tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>) -> tensor<1x16x128xf32, #size.extents<1, 16, 2 * h>>
    %2 = stablehlo.negate %1 : tensor<1x16x128xf32, #size.extents<1, 16, 2 * h>>
    %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]], lhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x64x8xf32, #size.extents<1, h, 8>>, tensor<2x8x16xf32>) -> tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>
    %4 = stablehlo.negate %3 : tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>
    return %2, %4 : tensor<1x16x128xf32, #size.extents<1, 16, 2 * h>>, tensor<1x128x16xf32, #size.extents<1, 2 * h, 16>>
  }
}
