// RUN: heddle-opt %s --heddle-lower-graph | FileCheck %s

// Before targets part, operands keep the types that the model has; roots name those that tensors hold as other bits.

// CHECK-LABEL: func.func @halves
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {{.*}}: tensor<4x64xf16>, tensor<64x128xf16> -> tensor<4x128xf32>
func.func @halves(%x: tensor<4x64xf16>, %w: tensor<64x128xf16>) -> tensor<4x128xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x128xf16>) -> tensor<4x128xf32>
  return %0 : tensor<4x128xf32>
}

// CHECK-LABEL: func.func @bytes
// CHECK-NOT: linalg.generic
// CHECK: kernel.contract %arg0, %arg1 {{.*}}lhs_type = f8E4M3FN, rhs_type = f8E4M3FN} : tensor<4x8xi8>, tensor<8x16xi8> -> tensor<4x16xf32>
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
