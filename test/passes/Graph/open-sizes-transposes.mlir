// Layouts of convolutions and composites over extents that calls choose.

// RUN: heddle-opt %s --split-input-file --heddle-assign-convolution-layout --heddle-rotate-halves --heddle-recognize-attention | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-graph -o %t

// Transposes take extents and sized attributes along, to the end.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.convolution({{.*}}dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]{{.*}} -> tensor<4x9x9x6xf32, #size.extents<b, h, w, 6>>
// CHECK: stablehlo.slice %{{.*}} [0:4, 0:9, 0:8, 0:6] {size.limit_indices = #size.extents<b, h, w - 1, 6>}
// CHECK-SAME: -> tensor<4x9x8x6xf32, #size.extents<b, h, w - 1, 6>>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<4x9x8x6xf32, #size.extents<b, h, w - 1, 6>>) -> tensor<4x72x6xf32, #size.extents<b, h * w - h, 6>>
// CHECK: stablehlo.transpose %{{.*}}, dims = [0, 2, 1] : (tensor<4x72x6xf32, #size.extents<b, h * w - h, 6>>) -> tensor<4x6x72xf32, #size.extents<b, 6, h * w - h>>
!image = tensor<4x3x9x9xf32, #size.extents<b, 3, h, w>>
!made = tensor<4x6x9x9xf32, #size.extents<b, 6, h, w>>
!cut = tensor<4x6x9x8xf32, #size.extents<b, 6, h, w - 1>>
!row = tensor<4x6x72xf32, #size.extents<b, 6, h * w - h>>
module attributes {heddle.symbols = [{name = "b", minimum = 1 : i64, maximum = 4 : i64}, {name = "h", minimum = 2 : i64, maximum = 9 : i64}, {name = "w", minimum = 2 : i64, maximum = 9 : i64}]} {
  func.func @main(%x: !image, %f: tensor<6x3x3x3xf32>) -> !row {
    %0 = stablehlo.convolution(%x, %f) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (!image, tensor<6x3x3x3xf32>) -> !made
    %1 = stablehlo.slice %0 [0:4, 0:6, 0:9, 0:8] {size.limit_indices = #size.extents<b, 6, h, w - 1>} : (!made) -> !cut
    %2 = stablehlo.exponential %1 : !cut
    %3 = stablehlo.reshape %2 : (!cut) -> !row
    return %3 : !row
  }
}

// -----

// Halves of what calls do not choose are turned; attention of what was turned.
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.reverse %{{.*}}, dims = [2] : tensor<2x7x2x2xf32, #size.extents<2, n, 2, 2>>
// CHECK: stablehlo.composite "heddle.attention"
// CHECK-SAME: (tensor<2x7x4xf32, #size.extents<2, n, 4>>, tensor<2x7x4xf32, #size.extents<2, n, 4>>, tensor<2x7x4xf32, #size.extents<2, n, 4>>, tensor<2x7x7xf32, #size.extents<2, n, n>>) -> tensor<2x7x4xf32, #size.extents<2, n, 4>>
!half = tensor<2x7x2xf32, #size.extents<2, n, 2>>
!all = tensor<2x7x4xf32, #size.extents<2, n, 4>>
!row = tensor<2x7xf32, #size.extents<2, n>>
!scores = tensor<2x7x7xf32, #size.extents<2, n, n>>
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 7 : i64}]} {
  func.func @main(%x: !all, %c: !all, %s: !all, %m: !scores) -> !all {
    %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %a = stablehlo.slice %x [0:2, 0:7, 0:2] {size.limit_indices = #size.extents<2, n, 2>} : (!all) -> !half
    %b = stablehlo.slice %x [0:2, 0:7, 2:4] {size.limit_indices = #size.extents<2, n, 4>} : (!all) -> !half
    %nb = stablehlo.negate %b : !half
    %turned = stablehlo.concatenate %nb, %a, dim = 2 : (!half, !half) -> !all
    %p0 = stablehlo.multiply %x, %c : !all
    %p1 = stablehlo.multiply %turned, %s : !all
    %q = stablehlo.add %p0, %p1 : !all
    %d = stablehlo.dot_general %q, %q, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (!all, !all) -> !scores
    %e = stablehlo.add %d, %m : !scores
    %0 = stablehlo.reduce(%e init: %lowest) applies stablehlo.maximum across dimensions = [2] : (!scores, tensor<f32>) -> !row
    %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (!row) -> !scores
    %2 = stablehlo.subtract %e, %1 : !scores
    %3 = stablehlo.exponential %2 : !scores
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (!scores, tensor<f32>) -> !row
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (!row) -> !scores
    %6 = stablehlo.divide %3, %5 : !scores
    %7 = stablehlo.dot_general %6, %x, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (!scores, !all) -> !all
    return %7 : !all
  }
}
