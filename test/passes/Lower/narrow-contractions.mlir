// RUN: heddle-opt %s --heddle-lower-graph | FileCheck %s

// Before targets part, operands keep the types that the model has; roots name those that tensors do not tell: unsigned integers.

// CHECK-LABEL: func.func @halves
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {{.*}}: tensor<4x64xf16>, tensor<64x128xf16> -> tensor<4x128xf32>
func.func @halves(%x: tensor<4x64xf16>, %w: tensor<64x128xf16>) -> tensor<4x128xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x128xf16>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// CHECK-LABEL: func.func @bytes
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {extents = {{.*}} iterator_types = [{{[^]]*}}]} : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN> -> tensor<4x16xf32>
func.func @bytes(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x16xf8E4M3FN>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func.func @taps
// CHECK-NOT: linalg.generic
// CHECK: kernel.convolution %arg0, %arg1 {{.*}}lhs_type = ui8, {{.*}}: tensor<1x8x8x16xi8>, tensor<3x3x16x16xi8> -> tensor<1x6x6x16xi32>
func.func @taps(%x: tensor<1x8x8x16xui8>, %w: tensor<3x3x16x16xui8>) -> tensor<1x6x6x16xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xui8>, tensor<3x3x16x16xui8>) -> tensor<1x6x6x16xi32>
  return %0 : tensor<1x6x6x16xi32>
}

// CHECK-LABEL: func.func @nibbles
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {extents = {{.*}} iterator_types = [{{[^]]*}}]} : tensor<4x8xi4>, tensor<8x16xi4> -> tensor<4x16xi32>
// CHECK: kernel.contract %arg2, %arg3 {{.*}}lhs_type = ui4, rhs_type = ui4} : tensor<4x8xi4>, tensor<8x16xi4> -> tensor<4x16xi32>
func.func @nibbles(%x: tensor<4x8xi4>, %w: tensor<8x16xi4>, %y: tensor<4x8xui4>, %v: tensor<8x16xui4>) -> (tensor<4x16xi32>, tensor<4x16xi32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xi4>, tensor<8x16xi4>) -> tensor<4x16xi32>
  %1 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0] : (tensor<4x8xui4>, tensor<8x16xui4>) -> tensor<4x16xi32>
  return %0, %1 : tensor<4x16xi32>, tensor<4x16xi32>
}

// A root rounds its sums to the model's floats itself, and says what it sums in.
// CHECK-LABEL: func.func @narrow_results
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {accumulator = f32, {{.*}}: tensor<4x64xbf16>, tensor<64x128xbf16> -> tensor<4x128xbf16>
// CHECK-NOT: linalg.generic
// CHECK: kernel.convolution %arg2, %arg3 {accumulator = f32, {{.*}}: tensor<1x8x8x16xf16>, tensor<3x3x16x16xf16> -> tensor<1x6x6x16xf16>
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {accumulator = f32, {{.*}}: tensor<4x64xbf16>, tensor<64x128xbf16> -> tensor<4x128xf8E5M2>
// CHECK-NOT: linalg.generic
func.func @narrow_results(%x: tensor<4x64xbf16>, %w: tensor<64x128xbf16>, %i: tensor<1x8x8x16xf16>, %k: tensor<3x3x16x16xf16>)
    -> (tensor<4x128xbf16>, tensor<1x6x6x16xf16>, tensor<4x128xf8E5M2>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x128xbf16>) -> tensor<4x128xbf16>
  %1 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf16>, tensor<3x3x16x16xf16>) -> tensor<1x6x6x16xf16>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x128xbf16>) -> tensor<4x128xf8E5M2>
  return %0, %1, %2 : tensor<4x128xbf16>, tensor<1x6x6x16xf16>, tensor<4x128xf8E5M2>
}

// What the model asks of products stays with them; that it asks for nothing is not said.
// CHECK-LABEL: func.func @asked
// CHECK: kernel.contract %arg0, %arg1 {{[{]}}algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, {{.*}} -> tensor<4x8xf32>
// CHECK: kernel.contract %arg0, %arg1 {accumulator = f64, algorithm = #stablehlo.dot_algorithm<{{.*}}accumulation_type = f64, {{.*}} -> tensor<4x8xf32>
// CHECK: kernel.contract %arg0, %arg1 {{.*}}, precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}
// CHECK: kernel.contract %arg0, %arg1 {extents = {{.*}} iterator_types = [{{[^]]*}}]} :
// CHECK: kernel.convolution {{.*}}, precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
func.func @asked(%x: tensor<4x16xf32>, %w: tensor<16x8xf32>, %i: tensor<1x8x8x16xf32>, %k: tensor<3x3x16x16xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x6x6x16xf32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [HIGHEST, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]} : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x6x6x16xf32>
  return %0, %1, %2, %3, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<1x6x6x16xf32>
}
