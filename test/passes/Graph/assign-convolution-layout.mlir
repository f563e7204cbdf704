// RUN: heddle-opt --heddle-assign-convolution-layout %s | FileCheck %s

// The transposes of two convolutions cancel through bias, activation and pooling; only the input's and the result's stay.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x3x32x32xf32>, %[[W0:[^:]*]]: tensor<16x3x3x3xf32>, %[[W1:[^:]*]]: tensor<8x16x1x1xf32>, %[[B:[^:]*]]: tensor<16xf32>
func.func @chain(%x: tensor<1x3x32x32xf32>, %w0: tensor<16x3x3x3xf32>, %w1: tensor<8x16x1x1xf32>, %b: tensor<16xf32>) -> tensor<1x8x15x15xf32> {
  // CHECK-DAG: %[[XT:.*]] = stablehlo.transpose %[[X]], dims = [0, 2, 3, 1]
  // CHECK-DAG: %[[W0T:.*]] = stablehlo.transpose %[[W0]], dims = [2, 3, 1, 0]
  // CHECK: %[[C0:.*]] = stablehlo.convolution(%[[XT]], %[[W0T]])
  // CHECK-SAME: dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
  // CHECK-SAME: -> tensor<1x32x32x16xf32>
  %0 = stablehlo.convolution(%x, %w0) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x32x32xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x32x32xf32>
  // CHECK: stablehlo.broadcast_in_dim %[[B]], dims = [3] : (tensor<16xf32>) -> tensor<1x32x32x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<1x16x32x32xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x16x32x32xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<1x16x32x32xf32>
  // CHECK: stablehlo.maximum {{.*}} : tensor<1x32x32x16xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<1x16x32x32xf32>
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  // CHECK: "stablehlo.reduce_window"
  // CHECK-SAME: window_dimensions = array<i64: 1, 3, 3, 1>
  // CHECK-SAME: window_strides = array<i64: 1, 2, 2, 1>
  %4 = "stablehlo.reduce_window"(%3, %init) <{window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %c: tensor<f32>):
    %m = stablehlo.maximum %a, %c : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : (tensor<1x16x32x32xf32>, tensor<f32>) -> tensor<1x16x15x15xf32>
  // CHECK-NOT: stablehlo.transpose {{.*}} : (tensor<1x15x15x16xf32>)
  // CHECK: %[[C1:.*]] = stablehlo.convolution
  // CHECK-SAME: -> tensor<1x15x15x8xf32>
  %5 = stablehlo.convolution(%4, %w1) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x15x15xf32>, tensor<8x16x1x1xf32>) -> tensor<1x8x15x15xf32>
  // CHECK: %[[R:.*]] = stablehlo.transpose %[[C1]], dims = [0, 3, 1, 2]
  // CHECK: return %[[R]]
  return %5 : tensor<1x8x15x15xf32>
}

// A global mean behind a convolution: the transpose leaves through the reduction.
// CHECK-LABEL: func.func @mean
func.func @mean(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<2x4x8x8xf32>
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: %[[R:.*]] = stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x4xf32>
  // CHECK-NEXT: return %[[R]]
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.add across dimensions = [2, 3] : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// Rows and columns become one sequence of positions, as a transformer between convolutions reads them: nothing is moved.
// CHECK-LABEL: func.func @positions
func.func @positions(%x: tensor<2x4x6x8xf32>, %w: tensor<5x4x1x1xf32>) -> (tensor<2x48x5xf32>, tensor<2x240xf32>) {
  // CHECK: %[[C:.*]] = stablehlo.convolution
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x4x6x8xf32>, tensor<5x4x1x1xf32>) -> tensor<2x5x6x8xf32>
  // With the channels before them the order changes.
  // CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[C]], dims = [0, 3, 1, 2]
  // CHECK-NEXT: %[[P:.*]] = stablehlo.reshape %[[C]] : (tensor<2x6x8x5xf32>) -> tensor<2x48x5xf32>
  %1 = stablehlo.reshape %0 : (tensor<2x5x6x8xf32>) -> tensor<2x5x48xf32>
  %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x5x48xf32>) -> tensor<2x48x5xf32>
  // CHECK-NEXT: %[[F:.*]] = stablehlo.reshape %[[T]]
  %3 = stablehlo.reshape %0 : (tensor<2x5x6x8xf32>) -> tensor<2x240xf32>
  // CHECK: return %[[P]], %[[F]]
  return %2, %3 : tensor<2x48x5xf32>, tensor<2x240xf32>
}

// An op with two different orders keeps its operands.
// CHECK-LABEL: func.func @disagreement
func.func @disagreement(%x: tensor<1x4x6x4xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x6x4xf32> {
  // CHECK: %[[T:.*]] = stablehlo.transpose %{{.*}}, dims = [0, 3, 1, 2] : (tensor<1x6x4x4xf32>) -> tensor<1x4x6x4xf32>
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x6x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x4xf32>
  %1 = stablehlo.transpose %x, dims = [0, 3, 2, 1] : (tensor<1x4x6x4xf32>) -> tensor<1x4x6x4xf32>
  // CHECK: stablehlo.add %[[T]], %{{.*}} : tensor<1x4x6x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<1x4x6x4xf32>
  return %2 : tensor<1x4x6x4xf32>
}

// Transposes move through quantization; the dimension that scales run along moves with them.
// CHECK-LABEL: func.func @quantized
// CHECK-SAME: %[[S:[^:]*]]: tensor<f32>, %[[Z:[^:]*]]: tensor<i8>, %[[SC:[^:]*]]: tensor<5xf32>, %[[ZC:[^:]*]]: tensor<5xi8>
func.func @quantized(%x: tensor<1x4x6x6xf32>, %w: tensor<5x4x1x1xf32>, %s: tensor<f32>, %z: tensor<i8>, %sc: tensor<5xf32>, %zc: tensor<5xi8>) -> tensor<1x5x6x6xf32> {
  // CHECK: %[[C:.*]] = stablehlo.convolution
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x6x6xf32>, tensor<5x4x1x1xf32>) -> tensor<1x5x6x6xf32>
  // CHECK-NEXT: %[[Q:.*]] = prec.quantize %[[C]], %[[S]], %[[Z]] rounding nearest_even range -128 to 127 : tensor<1x6x6x5xf32>
  %1 = prec.quantize %0, %s, %z rounding nearest_even range -128 to 127 : tensor<1x5x6x6xf32>, tensor<f32>, tensor<i8> -> tensor<1x5x6x6xi8>
  // CHECK-NEXT: %[[D:.*]] = prec.dequantize %[[Q]], %[[SC]], %[[ZC]] axis 3 : tensor<1x6x6x5xi8>
  %2 = prec.dequantize %1, %sc, %zc axis 1 : tensor<1x5x6x6xi8>, tensor<5xf32>, tensor<5xi8> -> tensor<1x5x6x6xf32>
  // CHECK-NEXT: stablehlo.transpose %[[D]], dims = [0, 3, 1, 2]
  return %2 : tensor<1x5x6x6xf32>
}
