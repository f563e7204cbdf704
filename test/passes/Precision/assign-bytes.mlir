// RUN: heddle-opt %s --heddle-assign-factors --split-input-file --verify-diagnostics | FileCheck %s

// Both factors become numbers that bytes stand for: a first one once for each scale, a weight once with a scale for each column, however it lies.
// CHECK: module attributes {heddle.precision = "w8a8 in 4 of 5 contractions and convolutions"}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>)
func.func @main(%x: tensor<8x64xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  // CHECK-DAG: %[[SCALE:.*]] = stablehlo.constant dense<5.000000e-02> : tensor<f32>
  // CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<120> : tensor<ui8>
  // CHECK-DAG: %[[BYTES:.*]] = prec.quantize %[[X]], %[[SCALE]], %[[ZERO]] rounding nearest_even range 0 to 255 : tensor<8x64xf32>, tensor<f32>, tensor<ui8> -> tensor<8x64xui8>
  // CHECK-DAG: %[[FIRST:.*]] = prec.dequantize %[[BYTES]], %[[SCALE]], %[[ZERO]] : tensor<8x64xui8>, tensor<f32>, tensor<ui8> -> tensor<8x64xf32>
  // CHECK-DAG: %[[OTHER:.*]] = stablehlo.constant dense<2.500000e-01> : tensor<f32>
  // CHECK-DAG: %[[COARSE:.*]] = prec.quantize %[[X]], %[[OTHER]],
  // CHECK-DAG: %[[SECOND:.*]] = prec.dequantize %[[COARSE]], %[[OTHER]],
  // CHECK-DAG: %[[W:.*]] = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  // CHECK-DAG: %[[FIT:.*]] = prec.fit_scale %[[W]] axis 0 block 64 integer 127 : tensor<64x32xf32> -> tensor<1x32xf32>
  // CHECK-DAG: %[[ROW:.*]] = stablehlo.reshape %[[FIT]] : (tensor<1x32xf32>) -> tensor<32xf32>
  // CHECK-DAG: %[[Q:.*]] = prec.quantize %[[W]], %[[ROW]], %{{.*}} axis 1 rounding nearest_even range -128 to 127 : tensor<64x32xf32>, tensor<32xf32>, tensor<32xi8> -> tensor<64x32xi8>
  // CHECK-DAG: %[[COLUMNS:.*]] = prec.dequantize %[[Q]], %[[ROW]], %{{.*}} axis 1 : tensor<64x32xi8>, tensor<32xf32>, tensor<32xi8> -> tensor<64x32xf32>
  // CHECK-DAG: %[[T:.*]] = stablehlo.constant dense_resource<t> : tensor<32x64xf32>
  // CHECK-DAG: prec.fit_scale %[[T]] axis 1 block 64 integer 127 : tensor<32x64xf32> -> tensor<32x1xf32>
  // CHECK-DAG: %[[ROWS:.*]] = prec.dequantize %{{.*}} axis 0 : tensor<32x64xi8>, tensor<32xf32>, tensor<32xi8> -> tensor<32x64xf32>
  %w = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  %t = stablehlo.constant dense_resource<t> : tensor<32x64xf32>
  // CHECK-NOT: heddle.f
  // CHECK: stablehlo.dot_general %[[FIRST]], %[[COLUMNS]],
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 120 : i64} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[FIRST]], %[[ROWS]],
  %1 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [1] {heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 120 : i64} : (tensor<8x64xf32>, tensor<32x64xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[FIRST]], %[[COLUMNS]],
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 120 : i64} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[SECOND]], %[[COLUMNS]],
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a8", heddle.first_scale = 2.5e-1 : f32, heddle.first_zero_point = 0 : i64} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[W]],
  %4 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0, %1, %2, %3, %4 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// A filter has a scale for each output feature, which may stand between other dimensions.
// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<1x9x9x8xf32>) -> (tensor<1x7x7x16xf32>, tensor<1x7x7x16xf32>) {
  // CHECK-DAG: %[[W:.*]] = stablehlo.constant dense_resource<w> : tensor<3x3x8x16xf32>
  // CHECK-DAG: %[[MATRIX:.*]] = stablehlo.reshape %[[W]] : (tensor<3x3x8x16xf32>) -> tensor<72x16xf32>
  // CHECK-DAG: prec.fit_scale %[[MATRIX]] axis 0 block 72 integer 127 : tensor<72x16xf32> -> tensor<1x16xf32>
  // CHECK-DAG: %[[FILTER:.*]] = prec.dequantize %{{.*}} axis 3 : tensor<3x3x8x16xi8>, tensor<16xf32>, tensor<16xi8> -> tensor<3x3x8x16xf32>
  // CHECK-DAG: %[[V:.*]] = stablehlo.constant dense_resource<v> : tensor<3x16x3x8xf32>
  // CHECK-DAG: %[[TURNED:.*]] = stablehlo.transpose %[[V]], dims = [1, 0, 2, 3] : (tensor<3x16x3x8xf32>) -> tensor<16x3x3x8xf32>
  // CHECK-DAG: %[[ROWS:.*]] = stablehlo.reshape %[[TURNED]] : (tensor<16x3x3x8xf32>) -> tensor<16x72xf32>
  // CHECK-DAG: prec.fit_scale %[[ROWS]] axis 1 block 72 integer 127 : tensor<16x72xf32> -> tensor<16x1xf32>
  // CHECK-DAG: %[[BETWEEN:.*]] = prec.dequantize %{{.*}} axis 1 : tensor<3x16x3x8xi8>, tensor<16xf32>, tensor<16xi8> -> tensor<3x16x3x8xf32>
  %w = stablehlo.constant dense_resource<w> : tensor<3x3x8x16xf32>
  %v = stablehlo.constant dense_resource<v> : tensor<3x16x3x8xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %[[FILTER]])
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64, heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 0 : i64} : (tensor<1x9x9x8xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
  // CHECK: stablehlo.convolution(%{{.*}}, %[[BETWEEN]])
  %1 = stablehlo.convolution(%x, %v) dim_numbers = [b, 0, 1, f]x[0, o, 1, i]->[b, 0, 1, f], window = {} {feature_group_count = 1 : i64, batch_group_count = 1 : i64, heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 0 : i64} : (tensor<1x9x9x8xf32>, tensor<3x16x3x8xf32>) -> tensor<1x7x7x16xf32>
  return %0, %1 : tensor<1x7x7x16xf32>, tensor<1x7x7x16xf32>
}

// -----

func.func @main(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  %w = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  // expected-error @below {{the factors are to be 'w8a8'; heddle.first_scale, a positive f32, and heddle.first_zero_point, 0 to 255, are wanted beside it}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a8", heddle.first_scale = 0.0 : f32, heddle.first_zero_point = 0 : i64} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// Sums of 66 terms do not come in fours.
func.func @main(%x: tensor<8x66xf32>) -> tensor<8x32xf32> {
  %w = stablehlo.constant dense_resource<w> : tensor<66x32xf32>
  // expected-error @below {{the factors are to be 'w8a8', and the second one is no weight that kernels read so}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a8", heddle.first_scale = 1.0 : f32, heddle.first_zero_point = 0 : i64} : (tensor<8x66xf32>, tensor<66x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// Groups of a convolution are left alone.
func.func @main(%x: tensor<1x9x9x16xf32>) -> tensor<1x7x7x16xf32> {
  %w = stablehlo.constant dense_resource<w> : tensor<3x3x8x16xf32>
  // expected-error @below {{the factors are to be 'w8a8', and the second one is no weight that kernels read so}}
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {feature_group_count = 2 : i64, batch_group_count = 1 : i64, heddle.factors = "w8a8", heddle.first_scale = 5.0e-2 : f32, heddle.first_zero_point = 0 : i64} : (tensor<1x9x9x16xf32>, tensor<3x3x8x16xf32>) -> tensor<1x7x7x16xf32>
  return %0 : tensor<1x7x7x16xf32>
}
