// Tensors that lie by their true extents: views are folded where positions stay sums of known multiples and loops still run as far.

// RUN: heddle-opt %s --split-input-file --heddle-lower-graph | FileCheck %s

// Batch and rows of a product are joined by a reshape of sizes, which is no map: the product reads what it gives.
// CHECK-LABEL: @joined(
// CHECK: %[[ROWS:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1], [2]] : tensor<8x512x16xf32, #size.extents<batch, sequence, 16>> into tensor<4096x16xf32, #size.extents<batch * sequence, 16>>
// CHECK: kernel.contract %[[ROWS]]
// CHECK-SAME: -> tensor<4096x4xf32, #size.extents<batch * sequence, 4>>
func.func @joined(%x: tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>, %w: tensor<16x4xf32>) -> tensor<4096x4xf32, #size.extents<batch * sequence, 4>> {
  %0 = stablehlo.reshape %x : (tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>) -> tensor<4096x16xf32, #size.extents<batch * sequence, 16>>
  %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<4096x16xf32, #size.extents<batch * sequence, 16>>, tensor<16x4xf32>) -> tensor<4096x4xf32, #size.extents<batch * sequence, 4>>
  return %1 : tensor<4096x4xf32, #size.extents<batch * sequence, 4>>
}

// -----

// Heads are taken apart by known steps, and turned: both are in the map.
// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1 * 4 + d4)>
// CHECK-LABEL: @heads(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>
// CHECK: kernel.contract %[[X]]
// CHECK-SAME: indexing_maps = [#[[LHS]]
func.func @heads(%x: tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>, %w: tensor<4x4xf32>) -> tensor<8x4x512x4xf32, #size.extents<batch, 4, sequence, 4>> {
  %0 = stablehlo.reshape %x : (tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>) -> tensor<8x512x4x4xf32, #size.extents<batch, sequence, 4, 4>>
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3] : (tensor<8x512x4x4xf32, #size.extents<batch, sequence, 4, 4>>) -> tensor<8x4x512x4xf32, #size.extents<batch, 4, sequence, 4>>
  %2 = stablehlo.dot_general %1, %w, contracting_dims = [3] x [0] : (tensor<8x4x512x4xf32, #size.extents<batch, 4, sequence, 4>>, tensor<4x4xf32>) -> tensor<8x4x512x4xf32, #size.extents<batch, 4, sequence, 4>>
  return %2 : tensor<8x4x512x4xf32, #size.extents<batch, 4, sequence, 4>>
}

// -----

// The first rows of a table are summed: the sum would run over all of it if it read the table.
// CHECK-LABEL: @first(
// CHECK-SAME: %[[TABLE:[a-z0-9]*]]: tensor<512x16xf32>
// CHECK: %[[ROWS:.*]] = linalg.generic {{.*}} ins(%[[TABLE]] :
// CHECK: -> tensor<512x16xf32, #size.extents<sequence, 16>>
// CHECK: linalg.generic {{.*}} ins(%[[ROWS]] :
// CHECK: -> tensor<16xf32>
func.func @first(%table: tensor<512x16xf32>) -> tensor<16xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.slice %table [0:512, 0:16] {size.limit_indices = #size.extents<sequence, 16>} : (tensor<512x16xf32>) -> tensor<512x16xf32, #size.extents<sequence, 16>>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x16xf32, #size.extents<sequence, 16>>, tensor<f32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}

// -----

// Eight by eight, of which one is a size: the groups are not those of the bounds.
// CHECK-LABEL: @turned(
// CHECK: tensor.collapse_shape {{.*}} into tensor<64xf32, #size.extents<8 * n>>
// CHECK: tensor.expand_shape {{.*}} into tensor<8x8xf32, #size.extents<8, n>>
func.func @turned(%x: tensor<8x8xf32, #size.extents<n, 8>>) -> tensor<8x8xf32, #size.extents<8, n>> {
  %0 = stablehlo.reshape %x : (tensor<8x8xf32, #size.extents<n, 8>>) -> tensor<8x8xf32, #size.extents<8, n>>
  return %0 : tensor<8x8xf32, #size.extents<8, n>>
}
