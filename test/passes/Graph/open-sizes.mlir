// Extents that calls choose: patterns keep them, and take no bound for one.

// RUN: heddle-opt %s --split-input-file --heddle-simplify | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-simplify --heddle-bound-dimensions -o %t

// Chains become one; what repeats nothing is a reshape; a slice up to the bound is no identity, and neither are a
// reshape and a broadcast to other extents.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:[^:]*]]: tensor<8x6xf32, #size.extents<n, 6>>, %[[Y:[^:]*]]: tensor<6x8xf32, #size.extents<6, n>>, %[[Z:[^:]*]]: tensor<8xf32, #size.extents<m>>)
// CHECK-DAG: %[[TWICE:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<6x8xf32, #size.extents<6, n>>
// CHECK-DAG: %[[ROW:.*]] = stablehlo.reshape %[[X]] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<48xf32, #size.extents<6 * n>>
// CHECK-DAG: %[[WIDE:.*]] = stablehlo.broadcast_in_dim %[[X]], dims = [1, 3] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<2x8x3x6xf32, #size.extents<2, n, 3, 6>>
// CHECK-DAG: %[[CUT:.*]] = stablehlo.slice %[[Z]] [0:8] {size.limit_indices = #size.extents<{{.*}}min({{.*}}>} : (tensor<8xf32, #size.extents<m>>) -> tensor<8xf32, #size.extents<
// CHECK: return %[[TWICE]], %[[ROW]], %[[WIDE]], %[[CUT]]
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "m", minimum = 0 : i64, maximum = 8 : i64}]} {
  func.func @main(%x: tensor<8x6xf32, #size.extents<n, 6>>, %y: tensor<6x8xf32, #size.extents<6, n>>, %z: tensor<8xf32, #size.extents<m>>)
      -> (tensor<6x8xf32, #size.extents<6, n>>, tensor<48xf32, #size.extents<6 * n>>, tensor<2x8x3x6xf32, #size.extents<2, n, 3, 6>>, tensor<8xf32, #size.extents<min(m, n)>>) {
    %t0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<6x8xf32, #size.extents<6, n>>
    %t1 = stablehlo.transpose %t0, dims = [1, 0] : (tensor<6x8xf32, #size.extents<6, n>>) -> tensor<8x6xf32, #size.extents<n, 6>>
    %t2 = stablehlo.transpose %t1, dims = [1, 0] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<6x8xf32, #size.extents<6, n>>
    %r0 = stablehlo.reshape %x : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<8x2x3xf32, #size.extents<n, 2, 3>>
    %r1 = stablehlo.reshape %r0 : (tensor<8x2x3xf32, #size.extents<n, 2, 3>>) -> tensor<48xf32, #size.extents<6 * n>>
    %b0 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<8x6xf32, #size.extents<n, 6>>) -> tensor<8x3x6xf32, #size.extents<n, 3, 6>>
    %b1 = stablehlo.broadcast_in_dim %b0, dims = [1, 2, 3] : (tensor<8x3x6xf32, #size.extents<n, 3, 6>>) -> tensor<2x8x3x6xf32, #size.extents<2, n, 3, 6>>
    %s = stablehlo.slice %z [0:8] {size.limit_indices = #size.extents<min(m, n)>} : (tensor<8xf32, #size.extents<m>>) -> tensor<8xf32, #size.extents<min(m, n)>>
    return %t2, %r1, %b1, %s : tensor<6x8xf32, #size.extents<6, n>>, tensor<48xf32, #size.extents<6 * n>>, tensor<2x8x3x6xf32, #size.extents<2, n, 3, 6>>, tensor<8xf32, #size.extents<min(m, n)>>
  }
}

// -----

// Ones that are summed are as many as there truly are, a dimension of the bound 1 may be empty, and an index is held
// within the extent.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.reduce
// CHECK: stablehlo.reduce
// CHECK: "stablehlo.gather"
// CHECK: stablehlo.concatenate
// CHECK: stablehlo.slice
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}, {name = "e", minimum = 0 : i64, maximum = 1 : i64}]} {
  func.func @main(%x: tensor<8xf32, #size.extents<n>>, %y: tensor<1x4xf32, #size.extents<e, 4>>) -> (tensor<f32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %ones = stablehlo.constant dense<1.0> : tensor<8xf32, #size.extents<n>>
    %last = stablehlo.constant dense<7> : tensor<1xi32>
    %0 = stablehlo.reduce(%ones init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<8xf32, #size.extents<n>>, tensor<f32>) -> tensor<f32>
    %1 = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<1x4xf32, #size.extents<e, 4>>, tensor<f32>) -> tensor<4xf32>
    %2 = "stablehlo.gather"(%x, %last) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1>}> : (tensor<8xf32, #size.extents<n>>, tensor<1xi32>) -> tensor<1xf32>
    %3 = stablehlo.concatenate %x, %2, %2, dim = 0 : (tensor<8xf32, #size.extents<n>>, tensor<1xf32>, tensor<1xf32>) -> tensor<10xf32, #size.extents<n + 2>>
    %4 = stablehlo.slice %3 [8:10] {size.start_indices = #size.extents<n>, size.limit_indices = #size.extents<n + 2>} : (tensor<10xf32, #size.extents<n + 2>>) -> tensor<2xf32>
    return %0, %1, %2, %4 : tensor<f32>, tensor<4xf32>, tensor<1xf32>, tensor<2xf32>
  }
}

// -----

// Padding of known sizes is the convolution's own, one that follows from a size is not.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: (%[[X:[^:]*]]: tensor<1x9x4x3xf32, #size.extents<1, h, 4, 3>>
// CHECK: stablehlo.convolution(%[[X]], {{.*}}pad = {{\[}}[1, 2], [0, 0]], lhs_dilate = [2, 1]
// CHECK: %[[PADDED:.*]] = stablehlo.pad
// CHECK: stablehlo.convolution(%[[PADDED]],
module attributes {heddle.symbols = [{name = "h", minimum = 1 : i64, maximum = 9 : i64}]} {
  func.func @padded(%x: tensor<1x9x4x3xf32, #size.extents<1, h, 4, 3>>, %w: tensor<2x2x3x5xf32>)
      -> (tensor<1x19x3x5xf32, #size.extents<1, 2 * h + 1, 3, 5>>, tensor<1x17x3x5xf32, #size.extents<1, 2 * h - 1, 3, 5>>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.pad %x, %zero, low = [0, 1, 0, 0], high = [0, 2, 0, 0], interior = [0, 1, 0, 0]
        : (tensor<1x9x4x3xf32, #size.extents<1, h, 4, 3>>, tensor<f32>) -> tensor<1x20x4x3xf32, #size.extents<1, 2 * h + 2, 4, 3>>
    %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x20x4x3xf32, #size.extents<1, 2 * h + 2, 4, 3>>, tensor<2x2x3x5xf32>) -> tensor<1x19x3x5xf32, #size.extents<1, 2 * h + 1, 3, 5>>
    %2 = stablehlo.pad %x, %zero, low = [0, 0, 0, 0], high = [0, 9, 0, 0], interior = [0, 0, 0, 0] {size.edge_padding_high = #size.extents<0, h, 0, 0>}
        : (tensor<1x9x4x3xf32, #size.extents<1, h, 4, 3>>, tensor<f32>) -> tensor<1x18x4x3xf32, #size.extents<1, 2 * h, 4, 3>>
    %3 = stablehlo.convolution(%2, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
        : (tensor<1x18x4x3xf32, #size.extents<1, 2 * h, 4, 3>>, tensor<2x2x3x5xf32>) -> tensor<1x17x3x5xf32, #size.extents<1, 2 * h - 1, 3, 5>>
    return %1, %3 : tensor<1x19x3x5xf32, #size.extents<1, 2 * h + 1, 3, 5>>, tensor<1x17x3x5xf32, #size.extents<1, 2 * h - 1, 3, 5>>
  }
}
