// RUN: heddle-opt --heddle-simplify %s | FileCheck %s

// CHECK-LABEL: func.func @slices
// CHECK-NEXT: stablehlo.slice %{{.*}} [3:8:4]
// CHECK-NEXT: return
func.func @slices(%x: tensor<10xf32>) -> tensor<2xf32> {
  %0 = stablehlo.slice %x [1:10:2] : (tensor<10xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %0 [1:5:2] : (tensor<5xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// What takes nothing may stand behind the end of what it is a part of.
// CHECK-LABEL: func.func @slice_of_nothing
// CHECK-SAME: -> tensor<0x2xf32>
// CHECK: return
func.func @slice_of_nothing(%x: tensor<1x4xf32>) -> tensor<0x2xf32> {
  %0 = stablehlo.slice %x [0:1:2, 0:4:2] : (tensor<1x4xf32>) -> tensor<1x2xf32>
  %1 = stablehlo.slice %0 [1:1:3, 0:2] : (tensor<1x2xf32>) -> tensor<0x2xf32>
  return %1 : tensor<0x2xf32>
}

// CHECK-LABEL: func.func @slice_of_input
// CHECK-SAME: (%{{.*}}: tensor<4xf32>, %[[Y:.*]]: tensor<6xf32>)
// CHECK-NEXT: stablehlo.slice %[[Y]] [1:3]
func.func @slice_of_input(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<2xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %1 = stablehlo.slice %0 [5:7] : (tensor<10xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @slice_across_inputs
// CHECK-NEXT: stablehlo.concatenate
// CHECK-NEXT: stablehlo.slice
func.func @slice_across_inputs(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<2xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
  %1 = stablehlo.slice %0 [3:5] : (tensor<10xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @split_and_joined
// CHECK-SAME: (%[[X:.*]]: tensor<10xf32>, %{{.*}}: tensor<0xf32>)
// CHECK-NEXT: return %[[X]]
func.func @split_and_joined(%x: tensor<10xf32>, %empty: tensor<0xf32>) -> tensor<10xf32> {
  %0 = stablehlo.slice %x [0:4] : (tensor<10xf32>) -> tensor<4xf32>
  %1 = stablehlo.slice %x [4:10] : (tensor<10xf32>) -> tensor<6xf32>
  %2 = stablehlo.concatenate %0, %empty, %1, dim = 0 : (tensor<4xf32>, tensor<0xf32>, tensor<6xf32>) -> tensor<10xf32>
  return %2 : tensor<10xf32>
}

// CHECK-LABEL: func.func @joined_in_another_order
// CHECK: stablehlo.concatenate
func.func @joined_in_another_order(%x: tensor<10xf32>) -> tensor<10xf32> {
  %0 = stablehlo.slice %x [0:5] : (tensor<10xf32>) -> tensor<5xf32>
  %1 = stablehlo.slice %x [5:10] : (tensor<10xf32>) -> tensor<5xf32>
  %2 = stablehlo.concatenate %1, %0, dim = 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  return %2 : tensor<10xf32>
}

// CHECK-LABEL: func.func @padded_convolution
// CHECK-NOT: stablehlo.pad
// CHECK: stablehlo.convolution
// CHECK-SAME: pad = {{\[}}[2, 3], [1, 1]]
func.func @padded_convolution(%x: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x5xf32>) -> tensor<1x8x5x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 1, 1, 0], high = [0, 2, 1, 0], interior = [0, 0, 0, 0] : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x7x6x3xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x7x6x3xf32>, tensor<2x2x3x5xf32>) -> tensor<1x8x5x5xf32>
  return %1 : tensor<1x8x5x5xf32>
}

// Gaps between points are the convolution's own.
// CHECK-LABEL: func.func @convolution_with_gaps
// CHECK-NOT: stablehlo.pad
// CHECK: stablehlo.convolution
// CHECK-SAME: pad = {{\[}}[2, 3], [0, 0]], lhs_dilate = [3, 2]
func.func @convolution_with_gaps(%x: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x5xf32>) -> tensor<1x14x6x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 1, 0, 0], high = [0, 2, 0, 0], interior = [0, 2, 1, 0] : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x13x7x3xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x13x7x3xf32>, tensor<2x2x3x5xf32>) -> tensor<1x14x6x5xf32>
  return %1 : tensor<1x14x6x5xf32>
}

// Between the elements of one there is no gap.
// CHECK-LABEL: func.func @convolution_with_gaps_in_one
// CHECK-NOT: stablehlo.pad
// CHECK: stablehlo.convolution
// CHECK-SAME: pad = {{\[}}[1, 1], [0, 0]]
// CHECK-NOT: lhs_dilate
// CHECK: return
func.func @convolution_with_gaps_in_one(%x: tensor<1x1x4x3xf32>, %w: tensor<2x2x3x5xf32>) -> tensor<1x2x3x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 1, 0, 0], high = [0, 1, 0, 0], interior = [0, 9223372036854775807, 0, 0] : (tensor<1x1x4x3xf32>, tensor<f32>) -> tensor<1x3x4x3xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x4x3xf32>, tensor<2x2x3x5xf32>) -> tensor<1x2x3x5xf32>
  return %1 : tensor<1x2x3x5xf32>
}

// A border of zeros that the convolution spreads is no border of the spread points.
// CHECK-LABEL: func.func @spread_border
// CHECK: stablehlo.pad
func.func @spread_border(%x: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x5xf32>) -> tensor<1x8x3x5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %zero, low = [0, 1, 0, 0], high = [0, 0, 0, 0], interior = [0, 0, 0, 0] : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x5x4x3xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x5x4x3xf32>, tensor<2x2x3x5xf32>) -> tensor<1x8x3x5xf32>
  return %1 : tensor<1x8x3x5xf32>
}

// Ones are not what a convolution pads with.
// CHECK-LABEL: func.func @convolution_padded_with_ones
// CHECK: stablehlo.pad
func.func @convolution_padded_with_ones(%x: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x5xf32>) -> tensor<1x5x5x5xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.pad %x, %one, low = [0, 1, 1, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<1x4x4x3xf32>, tensor<f32>) -> tensor<1x6x6x3xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x6x6x3xf32>, tensor<2x2x3x5xf32>) -> tensor<1x5x5x5xf32>
  return %1 : tensor<1x5x5x5xf32>
}

// Out of range, so moved inside.
// CHECK-LABEL: func.func @dynamic_slice
// CHECK-NEXT: stablehlo.slice %{{.*}} [7:10]
func.func @dynamic_slice(%x: tensor<10xf32>) -> tensor<3xf32> {
  %start = stablehlo.constant dense<9> : tensor<i32>
  %0 = stablehlo.dynamic_slice %x, %start, sizes = [3] : (tensor<10xf32>, tensor<i32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @gather_of_one
// CHECK-NEXT: %[[S:.*]] = stablehlo.slice %{{.*}} [2:3, 0:8]
// CHECK-NEXT: stablehlo.reshape %[[S]]
// CHECK-NEXT: return
func.func @gather_of_one(%x: tensor<5x8xf32>) -> tensor<8xf32> {
  %index = stablehlo.constant dense<2> : tensor<1xi64>
  %0 = "stablehlo.gather"(%x, %index) <{dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 8>}> : (tensor<5x8xf32>, tensor<1xi64>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
