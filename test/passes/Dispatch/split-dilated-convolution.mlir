// RUN: heddle-opt %s --heddle-lower --heddle-assign-target="target=x86-64-v3 spelled" --split-input-file -o %t.mlir
// RUN: sed -e 's/split_products = [0-9]*/split_products = 1000000/' %t.mlir | heddle-opt --heddle-split-dilated-convolution --split-input-file | FileCheck %s
// RUN: sed -e 's/split_products = [0-9]*/split_products = 1/' %t.mlir | heddle-opt --heddle-split-dilated-convolution --split-input-file | FileCheck %s --check-prefix=ALWAYS

// Output points of one parity meet every other tap: two dense convolutions, then their results alternate. Taps of a weight are a weight.
// CHECK: kernel.weight @[[EVEN:.*]] : tensor<2x300x200xf32> {
// CHECK: stablehlo.slice %{{.*}} [0:4:2, 0:300, 0:200]
// CHECK: kernel.weight @[[ODD:.*]] : tensor<2x300x200xf32> {
// CHECK: stablehlo.slice %{{.*}} [1:4:2, 0:300, 0:200]
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[X:.*]]: tensor<1x5x300xf32>
// CHECK: %[[E:.*]] = kernel.weight_ref @[[EVEN]]
// CHECK: kernel.convolution %[[X]], %[[E]] {groups = 1 : i64, lhs_dilation = array<i64: 1>, padding = array<i64: 1, 0>
// CHECK-SAME: -> tensor<1x5x200xf32>
// CHECK: %[[O:.*]] = kernel.weight_ref @[[ODD]]
// CHECK: kernel.convolution %[[X]], %[[O]] {groups = 1 : i64, lhs_dilation = array<i64: 1>, padding = array<i64: 0, 1>
// CHECK: %[[J:.*]] = kernel.concatenate {{.*}}dimension = 2 : i64} : (tensor<1x5x1x200xf32>, tensor<1x5x1x200xf32>) -> tensor<1x5x2x200xf32>
// CHECK: tensor.collapse_shape %[[J]] {{\[\[}}0], [1, 2], [3]] : tensor<1x5x2x200xf32> into tensor<1x10x200xf32>
func.func @main(%x: tensor<1x5x300xf32>) -> tensor<1x10x200xf32> {
  %a = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xf32>
  %b = stablehlo.broadcast_in_dim %a, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x120000xf32>
  %w = stablehlo.reshape %b : (tensor<2x120000xf32>) -> tensor<4x300x200xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x300xf32>, tensor<4x300x200xf32>) -> tensor<1x10x200xf32>
  return %0 : tensor<1x10x200xf32>
}

// -----

// The gradient of a strided convolution with a window of one: two of three points meet no tap. The last point is cut off.
// CHECK-LABEL: func.func @main
// CHECK-COUNT-1: kernel.convolution
// CHECK-NOT: kernel.convolution
// CHECK: kernel.concatenate {{.*}} -> tensor<1x4x3x500xf32>
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<1x10x500xf32>)
func.func @main(%x: tensor<1x4x700xf32>, %w: tensor<1x700x500xf32>) -> tensor<1x10x500xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [3]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x700xf32>, tensor<1x700x500xf32>) -> tensor<1x10x500xf32>
  return %0 : tensor<1x10x500xf32>
}

// -----

// So little work stays one kernel, if its channels keep some lanes busy and the target says so.
// CHECK-LABEL: func.func @main
// CHECK: kernel.convolution {{.*}}lhs_dilation = array<i64: 2>
// CHECK-NOT: lhs_dilation = array<i64: 2>
// CHECK: return
// ALWAYS-LABEL: func.func @main(%arg0: tensor<1x5x3xf32>
// ALWAYS-NOT: lhs_dilation = array<i64: 2>
// ALWAYS: return
func.func @main(%x: tensor<1x5x3xf32>, %w: tensor<4x3x4xf32>, %v: tensor<4x4x3xf32>) -> tensor<1x20x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x3xf32>, tensor<4x3x4xf32>) -> tensor<1x10x4xf32>
  %1 = stablehlo.convolution(%0, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[2, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x10x4xf32>, tensor<4x4x3xf32>) -> tensor<1x20x3xf32>
  return %1 : tensor<1x20x3xf32>
}

// -----

// Sums are rounded before they are joined.
// CHECK-LABEL: func.func @main
// CHECK: kernel.convolution {{.*}}accumulator = f32{{.*}} -> tensor<1x4x500xbf16>
// CHECK: kernel.concatenate {{.*}} : (tensor<1x4x1x500xbf16>, tensor<1x4x1x500xbf16>) -> tensor<1x4x2x500xbf16>
func.func @main(%x: tensor<1x4x700xbf16>, %w: tensor<1x700x500xbf16>) -> tensor<1x7x500xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x700xbf16>, tensor<1x700x500xbf16>) -> tensor<1x7x500xbf16>
  return %0 : tensor<1x7x500xbf16>
}
