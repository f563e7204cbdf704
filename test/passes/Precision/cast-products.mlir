// RUN: heddle-opt %s --heddle-cast-products | FileCheck %s
// RUN: heddle-opt %s --heddle-cast-products=type=f16 | FileCheck %s --check-prefix=F16
// RUN: not heddle-opt %s --heddle-cast-products=type=tf32 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: the type of factors is 'tf32'; bf16 or f16 is wanted

// CHECK: module attributes {heddle.precision = "bf16 in 3 of 8 contractions and convolutions"}
// F16: module attributes {heddle.precision = "f16 in 3 of 8 contractions and convolutions"}

// What two products read is rounded once; sums stay f32.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[V:.*]]: tensor<64x32xf32>, %[[W:.*]]: tensor<64x32xf32>)
// F16: stablehlo.convert %{{.*}} : (tensor<8x64xf32>) -> tensor<8x64xf16>
func.func @shared(%x: tensor<8x64xf32>, %v: tensor<64x32xf32>, %w: tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  // CHECK-DAG: %[[XN:.*]] = stablehlo.convert %[[X]] : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  // CHECK-DAG: %[[VN:.*]] = stablehlo.convert %[[V]] : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  // CHECK-DAG: %[[WN:.*]] = stablehlo.convert %[[W]] : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  // CHECK: stablehlo.dot_general %[[XN]], %[[VN]], {{.*}} : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xf32>
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[XN]], %[[WN]], {{.*}} : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<8x32xf32>
}

// The model asks for all bits of f32, by a precision or by an algorithm.
// CHECK-LABEL: func.func @exact
// CHECK-NOT: stablehlo.convert
func.func @exact(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0, %1 : tensor<8x32xf32>, tensor<8x32xf32>
}

// The angles of positions are no sums at all, and a depthwise filter has nine terms.
// CHECK-LABEL: func.func @short
// CHECK-NOT: stablehlo.convert
func.func @short(%positions: tensor<1024x1xf32>, %frequencies: tensor<1x32xf32>, %image: tensor<1x8x8x4xf32>, %filter: tensor<3x3x1x4xf32>) -> (tensor<1024x32xf32>, tensor<1x6x6x4xf32>) {
  %0 = stablehlo.dot_general %positions, %frequencies, contracting_dims = [1] x [0] : (tensor<1024x1xf32>, tensor<1x32xf32>) -> tensor<1024x32xf32>
  %1 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x1x4xf32>) -> tensor<1x6x6x4xf32>
  return %0, %1 : tensor<1024x32xf32>, tensor<1x6x6x4xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK: stablehlo.convolution({{.*}} : (tensor<1x8x8x4xbf16>, tensor<3x3x4x8xbf16>) -> tensor<1x6x6x8xf32>
func.func @convolution(%image: tensor<1x8x8x4xf32>, %filter: tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32> {
  %0 = stablehlo.convolution(%image, %filter) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x8xf32>) -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}

// Integers with a scale are multiplied as they are.
// CHECK-LABEL: func.func @stored
// CHECK-NOT: stablehlo.convert
func.func @stored(%x: tensor<8x64xf32>, %stored: tensor<32x64xi8>) -> tensor<8x32xf32> {
  %scale = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %w = prec.dequantize %stored, %scale, %zero : tensor<32x64xi8>, tensor<f32>, tensor<i8> -> tensor<32x64xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<32x64xf32>) -> tensor<64x32xf32>
  %0 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// Sums of f64 are no business of this.
// CHECK-LABEL: func.func @wide
// CHECK-NOT: stablehlo.convert
func.func @wide(%x: tensor<8x64xf64>, %w: tensor<64x32xf64>) -> tensor<8x32xf64> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf64>, tensor<64x32xf64>) -> tensor<8x32xf64>
  return %0 : tensor<8x32xf64>
}
