// RUN: heddle-opt %s --heddle-assign-convolution-layout --split-input-file | FileCheck %s

// Output points of one parity meet every other tap: two dense convolutions, then their results alternate.
// CHECK-LABEL: func @transposed
// CHECK-SAME: %[[X:.*]]: tensor<1x5x300xf32>, %[[W:.*]]: tensor<4x300x200xf32>
func.func @transposed(%x: tensor<1x5x300xf32>, %w: tensor<4x300x200xf32>) -> tensor<1x10x200xf32> {
  // CHECK: %[[EVEN:.*]] = stablehlo.slice %[[W]] [0:4:2, 0:300, 0:200]
  // CHECK: stablehlo.convolution(%[[X]], %[[EVEN]])
  // CHECK-SAME: -> tensor<1x5x200xf32>
  // CHECK: %[[ODD:.*]] = stablehlo.slice %[[W]] [1:4:2, 0:300, 0:200]
  // CHECK: stablehlo.convolution(%[[X]], %[[ODD]])
  // CHECK: %[[J:.*]] = stablehlo.concatenate {{.*}}dim = 2 : (tensor<1x5x1x200xf32>, tensor<1x5x1x200xf32>) -> tensor<1x5x2x200xf32>
  // CHECK: stablehlo.reshape %[[J]] : (tensor<1x5x2x200xf32>) -> tensor<1x10x200xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x300xf32>, tensor<4x300x200xf32>) -> tensor<1x10x200xf32>
  return %0 : tensor<1x10x200xf32>
}

// -----

// The gradient of a strided convolution with a window of one: two of three points meet no tap. The last point is cut off.
// CHECK-LABEL: func @gaps
func.func @gaps(%x: tensor<1x4x700xf32>, %w: tensor<1x700x500xf32>) -> tensor<1x10x500xf32> {
  // CHECK-COUNT-1: stablehlo.convolution
  // CHECK-NOT: stablehlo.convolution
  // CHECK: stablehlo.concatenate {{.*}} -> tensor<1x4x3x500xf32>
  // CHECK: stablehlo.slice %{{.*}} [0:1, 0:10, 0:500]
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [3]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x700xf32>, tensor<1x700x500xf32>) -> tensor<1x10x500xf32>
  return %0 : tensor<1x10x500xf32>
}

// -----

// So little work stays one kernel, if its channels keep some lanes busy.
// CHECK-LABEL: func @small
func.func @small(%x: tensor<1x5x3xf32>, %w: tensor<4x3x4xf32>, %v: tensor<4x4x3xf32>) -> tensor<1x20x3xf32> {
  // CHECK: stablehlo.convolution{{.*}}lhs_dilate = [2]
  // CHECK-NOT: lhs_dilate
  // CHECK: return
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<4x3x4xf32>) -> tensor<1x10x4xf32>
  %1 = stablehlo.convolution(%0, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x10x4xf32>, tensor<4x4x3xf32>) -> tensor<1x20x3xf32>
  return %1 : tensor<1x20x3xf32>
}
