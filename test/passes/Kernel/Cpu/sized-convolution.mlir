// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// Convolutions of as many images as a call has.

// Each image is some tiles of the grid.
// CHECK-LABEL: func @images(
// CHECK-SAME: kernel.tile_count = #size.expression<images>
// CHECK: return
func.func @images(%x: tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, %w: tensor<1x1x3x3x8x32xf32>)
    -> tensor<16x14x14x32xf32, #size.extents<images, 14, 14, 32>> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, tensor<1x1x3x3x8x32xf32> -> tensor<16x14x14x32xf32, #size.extents<images, 14, 14, 32>>
  return %0 : tensor<16x14x14x32xf32, #size.extents<images, 14, 14, 32>>
}

// Single points are rows of one product, whichever image they are of.
// CHECK-LABEL: func @points(
// CHECK-SAME: kernel.size_arguments = #size.extents<6 * images + floordiv(images + 7, 8), 49 * images>
// CHECK: return
func.func @points(%x: tensor<16x7x7x8xf32, #size.extents<images, 7, 7, 8>>, %w: tensor<1x1x1x1x8x32xf32>)
    -> tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<16x7x7x8xf32, #size.extents<images, 7, 7, 8>>, tensor<1x1x1x1x8x32xf32> -> tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>>
  return %0 : tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>>
}

// Where points are left out, rows are those of an image.
// CHECK-LABEL: func @some_points(
// CHECK-SAME: kernel.size_arguments = #size.extents<7 * images, images>, kernel.tile_count = #size.expression<floordiv(images + 15, 16)>
// CHECK: return
func.func @some_points(%x: tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, %w: tensor<1x1x1x1x8x32xf32>)
    -> tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 2, 2>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, tensor<1x1x1x1x8x32xf32> -> tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>>
  return %0 : tensor<16x7x7x32xf32, #size.extents<images, 7, 7, 32>>
}

// Every channel by itself.
// CHECK-LABEL: func @depthwise(
// CHECK-SAME: kernel.tile_count = #size.expression<images>
// CHECK: return
func.func @depthwise(%x: tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, %w: tensor<3x3x1x8xf32>)
    -> tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 8 : i64
  } : tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, tensor<3x3x1x8xf32> -> tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>
  return %0 : tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>
}

// A window moves along what is known.
// CHECK-LABEL: func @pool(
// CHECK-SAME: kernel.size_arguments = #size.extents<49 * images, images>
// CHECK: return
func.func @pool(%x: tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, %i: f32)
    -> tensor<16x7x7x8xf32, #size.extents<images, 7, 7, 8>> attributes {kernel.entry} {
  %0 = kernel.reduce_window inputs(%x) inits(%i) {base_dilations = array<i64: 1, 1, 1, 1>, padding = array<i64: 0, 0, 1, 0, 1, 0, 0, 0>,
      strides = array<i64: 1, 2, 2, 1>, window = array<i64: 1, 3, 3, 1>, window_dilations = array<i64: 1, 1, 1, 1>}
      : (tensor<16x14x14x8xf32, #size.extents<images, 14, 14, 8>>, f32) -> tensor<16x7x7x8xf32, #size.extents<images, 7, 7, 8>> {
  ^bb0(%a: f32, %b: f32):
    %m = arith.maximumf %a, %b : f32
    kernel.yield %m : f32
  }
  return %0 : tensor<16x7x7x8xf32, #size.extents<images, 7, 7, 8>>
}

// Of an image twice as large, tiles are cut from the points of one of four phases, each of which meets one tap that the phase's numbers choose.
// CHECK-LABEL: func @transposed(
// CHECK-SAME: kernel.tile_count = #size.expression<4 * floordiv(
// CHECK: %[[REST:.*]] = arith.divui %{{.*}}, %[[ROWS:.*]] : index
// CHECK: %[[COLUMN:.*]] = arith.remui %[[REST]], %c2
// CHECK: %[[ROW:.*]] = arith.divui %[[REST]], %c2
// CHECK: %[[FIRST_ROW:.*]] = arith.cmpi eq, %[[ROW]], %c0
// CHECK: %[[ROW_TAP:.*]] = arith.select %[[FIRST_ROW]], %c1, %c0
// CHECK: %[[FIRST_COLUMN:.*]] = arith.cmpi eq, %[[COLUMN]], %c0
// CHECK: %[[COLUMN_TAP:.*]] = arith.select %[[FIRST_COLUMN]], %c1, %c0
// CHECK: %[[TAPS_BEFORE:.*]] = arith.muli %[[ROW_TAP]], %c2
// CHECK: arith.addi %[[TAPS_BEFORE]], %[[COLUMN_TAP]]
// CHECK: %{{.*}}:2 = scf.for %{{.*}} = %c0 to %c32 step %c4
// CHECK: return
func.func @transposed(%x: tensor<1x32x32x32xf32, #size.extents<1, height, width, 32>>, %w: tensor<1x1x2x2x32x32xf32>)
    -> tensor<1x64x64x32xf32, #size.extents<1, 2 * height, 2 * width, 32>> attributes {kernel.entry} {
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 2, 2>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x32x32x32xf32, #size.extents<1, height, width, 32>>, tensor<1x1x2x2x32x32xf32> -> tensor<1x64x64x32xf32, #size.extents<1, 2 * height, 2 * width, 32>>
  return %0 : tensor<1x64x64x32xf32, #size.extents<1, 2 * height, 2 * width, 32>>
}
