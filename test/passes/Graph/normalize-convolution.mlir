// RUN: heddle-opt %s --heddle-assign-convolution-layout --split-input-file | FileCheck %s

// Parts of the batch become groups of features.
// CHECK-LABEL: func @batch_groups
// CHECK-SAME: %[[X:.*]]: tensor<6x5x5x2xf32>
func.func @batch_groups(%x: tensor<6x5x5x2xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<3x3x3x4xf32> {
  // CHECK: %[[S:.*]] = stablehlo.reshape %[[X]] : (tensor<6x5x5x2xf32>) -> tensor<2x3x5x5x2xf32>
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[S]], dims = [1, 2, 3, 0, 4]
  // CHECK: %[[M:.*]] = stablehlo.reshape %[[T]] : (tensor<3x5x5x2x2xf32>) -> tensor<3x5x5x4xf32>
  // CHECK: stablehlo.convolution(%[[M]], %{{[a-z0-9]+}})
  // CHECK-SAME: batch_group_count = 1 : i64, feature_group_count = 2 : i64
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<6x5x5x2xf32>, tensor<3x3x2x4xf32>) -> tensor<3x3x3x4xf32>
  return %0 : tensor<3x3x3x4xf32>
}

// -----

// CHECK-LABEL: func @reversed
func.func @reversed(%x: tensor<1x5x6x2xf32>, %w: tensor<3x3x2x4xf32>) -> tensor<1x3x4x4xf32> {
  // CHECK: %[[W:.*]] = stablehlo.reverse %{{.*}}, dims = [1]
  // CHECK: stablehlo.convolution(%{{[a-z0-9]+}}, %[[W]])
  // CHECK-NOT: reverse
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {reverse = [false, true]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x5x6x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x3x4x4xf32>
  return %0 : tensor<1x3x4x4xf32>
}

// -----

// CHECK-LABEL: func @no_window
func.func @no_window(%x: tensor<3x4xf32>, %w: tensor<2x6xf32>) -> tensor<3x6xf32> {
  // CHECK: stablehlo.convolution{{.*}} dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f]
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f]x[i, o]->[b, f], window = {} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<3x4xf32>, tensor<2x6xf32>) -> tensor<3x6xf32>
  return %0 : tensor<3x6xf32>
}

// -----

// Of a dilated input of 1 + 2 + 1 points the padding cuts the first.
// CHECK-LABEL: func @cut
func.func @cut(%x: tensor<1x2x3xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x3x4xf32> {
  // CHECK: %[[P:.*]] = stablehlo.pad %{{.*}}, low = [0, -1, 0], high = [0, 2, 0], interior = [0, 1, 0]
  // CHECK: stablehlo.convolution(%[[P]], %{{[a-z0-9]+}})
  // CHECK-NOT: lhs_dilate
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x2x3xf32>, tensor<2x3x4xf32>) -> tensor<1x3x4xf32>
  return %0 : tensor<1x3x4xf32>
}

// -----

// The same of complex numbers, whose zero is a pair.
// CHECK-LABEL: func @cut_dilation_of_complex
func.func @cut_dilation_of_complex(%x: tensor<1x2x3xcomplex<f32>>, %w: tensor<2x3x4xcomplex<f32>>) -> tensor<1x3x4xcomplex<f32>> {
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
  // CHECK: stablehlo.pad %{{.*}}, %[[ZERO]], low = [0, -1, 0], high = [0, 2, 0], interior = [0, 1, 0]
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 2]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x2x3xcomplex<f32>>, tensor<2x3x4xcomplex<f32>>) -> tensor<1x3x4xcomplex<f32>>
  return %0 : tensor<1x3x4xcomplex<f32>>
}

// -----

// Of nothing a point less than nothing is cut: no window stands there.
// CHECK-LABEL: func @cut_of_nothing
func.func @cut_of_nothing(%x: tensor<1x0x3xf32>, %w: tensor<2x3x4xf32>) -> tensor<1x0x4xf32> {
  // CHECK-NOT: stablehlo.pad {{.*}} low = [0, -1, 0], high = [0, 0, 0]
  // CHECK: return %{{.*}} : tensor<1x0x4xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 0]], lhs_dilate = [2]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x0x3xf32>, tensor<2x3x4xf32>) -> tensor<1x0x4xf32>
  return %0 : tensor<1x0x4xf32>
}
