// RUN: heddle-opt --heddle-simplify --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @transposes_cancel
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
// CHECK-NEXT: return %[[X]]
func.func @transposes_cancel(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @transposes_combine
// CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [2, 0, 1]
// CHECK-NEXT: return
func.func @transposes_combine(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0, 2] : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
  return %1 : tensor<4x2x3xf32>
}

// A transpose that moves no element is a reshape; reshapes in a row are one.
// CHECK-LABEL: func.func @unit_transpose
// CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<1x3x4xf32>) -> tensor<12xf32>
// CHECK-NEXT: return
func.func @unit_transpose(%x: tensor<1x3x4xf32>) -> tensor<12xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0, 2] : (tensor<1x3x4xf32>) -> tensor<3x1x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x1x4xf32>) -> tensor<12xf32>
  return %1 : tensor<12xf32>
}

// CHECK-LABEL: func.func @transpose_stays
// CHECK-NEXT: stablehlo.transpose
// CHECK-NEXT: stablehlo.reshape
func.func @transpose_stays(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x2xf32>) -> tensor<6xf32>
  return %1 : tensor<6xf32>
}

// CHECK-LABEL: func.func @broadcasts_combine
// CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [2] : (tensor<4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return
func.func @broadcasts_combine(%x: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<4xf32>) -> tensor<1x4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [1, 2] : (tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @broadcast_of_unit_dimension
// CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<4xf32>) -> tensor<1x4xf32>
func.func @broadcast_of_unit_dimension(%x: tensor<4xf32>) -> tensor<1x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// The reshape joins two dimensions: the broadcast cannot look through it.
// CHECK-LABEL: func.func @broadcast_of_joined
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: stablehlo.broadcast_in_dim
func.func @broadcast_of_joined(%x: tensor<2x2xf32>) -> tensor<3x4xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x2xf32>) -> tensor<4xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<4xf32>) -> tensor<3x4xf32>
  return %1 : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @unit_reduce
// CHECK-NEXT: stablehlo.reshape
// CHECK-NEXT: return
func.func @unit_reduce(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Starts from 1: that is added.
// CHECK-LABEL: func.func @unit_reduce_from_one
// CHECK: stablehlo.reduce
func.func @unit_reduce_from_one(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %one) applies stablehlo.add across dimensions = [1] : (tensor<4x1xf32>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// What is repeated as often as a size says is a broadcast, also where the numbers of elements are too long to be compared.
// CHECK-LABEL: func.func @repeated_by_a_size
// CHECK-NEXT: stablehlo.broadcast_in_dim
// CHECK-NEXT: return
func.func @repeated_by_a_size(%x: tensor<7x7x7xf32, #size.extents<a + b + c + d + e + f + g, h + i + j + k + l + m + n, o + p + q + r + s + t + u>>)
    -> tensor<7x7x7x1xf32, #size.extents<a + b + c + d + e + f + g, h + i + j + k + l + m + n, o + p + q + r + s + t + u, w>> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1, 2]
      : (tensor<7x7x7xf32, #size.extents<a + b + c + d + e + f + g, h + i + j + k + l + m + n, o + p + q + r + s + t + u>>)
      -> tensor<7x7x7x1xf32, #size.extents<a + b + c + d + e + f + g, h + i + j + k + l + m + n, o + p + q + r + s + t + u, w>>
  return %0 : tensor<7x7x7x1xf32, #size.extents<a + b + c + d + e + f + g, h + i + j + k + l + m + n, o + p + q + r + s + t + u, w>>
}
