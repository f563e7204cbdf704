// RUN: heddle-opt %s --heddle-lower-graph --heddle-assign-target=target=x86-64-v3 --heddle-legalize-roots --split-input-file | FileCheck %s

// Floats of two bytes that many columns read are widened once; few columns, weights on the left and depthwise kernels take them as they are.

// CHECK-LABEL: func.func @often
// CHECK: %[[WIDE:.*]] = linalg.generic {{.*}}ins(%arg0 : tensor<4x64xf16>)
// CHECK: arith.extf %{{.*}} : f16 to f32
// CHECK: kernel.contract %{{.*}}, %arg1 {{.*}}: tensor<4x64xf32>, tensor<64x128xf16> -> tensor<4x128xf32>
func.func @often(%x: tensor<4x64xf16>, %w: tensor<64x128xf16>) -> tensor<4x128xf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x128xf16>) -> tensor<4x128xf16>
  return %0 : tensor<4x128xf16>
}

// CHECK-LABEL: func.func @seldom
// CHECK-NOT: arith.extf
// CHECK: kernel.contract %arg0, %arg1 {{.*}}: tensor<4x64xf16>, tensor<64x96xf16> -> tensor<4x96xf32>
func.func @seldom(%x: tensor<4x64xf16>, %w: tensor<64x96xf16>) -> tensor<4x96xf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x96xf16>) -> tensor<4x96xf16>
  return %0 : tensor<4x96xf16>
}

// CHECK-LABEL: func.func @weights_left
// CHECK-NOT: arith.extf
// CHECK: kernel.contract %{{.*}}, %arg0 {{.*}}: tensor<4x64xbf16>, tensor<64x128xbf16> -> tensor<4x128xf32>
func.func @weights_left(%x: tensor<64x128xbf16>) -> tensor<4x128xbf16> {
  %w = stablehlo.constant dense<0.5> : tensor<4x64xbf16>
  %0 = stablehlo.dot_general %w, %x, contracting_dims = [1] x [0] : (tensor<4x64xbf16>, tensor<64x128xbf16>) -> tensor<4x128xbf16>
  return %0 : tensor<4x128xbf16>
}

// CHECK-LABEL: func.func @taps
// CHECK: kernel.convolution %{{.*}}, %arg1 {{.*}}: tensor<1x8x8x16xf32>, tensor<3x3x16x16xbf16> -> tensor<1x6x6x16xf32>
func.func @taps(%x: tensor<1x8x8x16xbf16>, %w: tensor<3x3x16x16xbf16>) -> tensor<1x6x6x16xbf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xbf16>, tensor<3x3x16x16xbf16>) -> tensor<1x6x6x16xbf16>
  return %0 : tensor<1x6x6x16xbf16>
}

// CHECK-LABEL: func.func @depthwise
// CHECK: kernel.convolution %arg0, %arg1 {{.*}}: tensor<1x18x18x16xf16>, tensor<15x15x1x16xf16> -> tensor<1x4x4x16xf32>
func.func @depthwise(%x: tensor<1x18x18x16xf16>, %w: tensor<15x15x1x16xf16>) -> tensor<1x4x4x16xf16> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 16 : i64} : (tensor<1x18x18x16xf16>, tensor<15x15x1x16xf16>) -> tensor<1x4x4x16xf16>
  return %0 : tensor<1x4x4x16xf16>
}

// What two products read is widened once for both.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: arith.extf
// CHECK-NOT: arith.extf
// CHECK: return
func.func @shared(%x: tensor<4x64xf16>, %v: tensor<64x128xf16>, %w: tensor<64x256xf16>) -> (tensor<4x128xf32>, tensor<4x256xf32>) {
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x128xf16>) -> tensor<4x128xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x64xf16>, tensor<64x256xf16>) -> tensor<4x256xf32>
  return %0, %1 : tensor<4x128xf32>, tensor<4x256xf32>
}

// Floats of a byte are no kernel's: it gets their numbers.
// CHECK-LABEL: func.func @bytes
// CHECK: %[[LHS:.*]] = linalg.generic {{.*}}ins(%arg0 : tensor<4x8xf8E4M3FN>) {{.*}}
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK: %[[RHS:.*]] = linalg.generic {{.*}}ins(%arg1 : tensor<8x16xf8E4M3FN>) {{.*}}
// CHECK: arith.extf %{{.*}} : f8E4M3FN to f32
// CHECK: kernel.contract %[[LHS]], %[[RHS]]
// CHECK-SAME: : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
func.func @bytes(%x: tensor<4x8xf8E4M3FN>, %w: tensor<8x16xf8E4M3FN>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// A contraction's kernel knows of signs, a convolution's does not.
// CHECK-LABEL: func.func @unsigned
// CHECK: kernel.contract %arg0, %arg1 {{.*}}lhs_type = ui8, rhs_type = ui8} : tensor<4x8xi8>, tensor<8x16xi8> -> tensor<4x16xi32>
// CHECK-COUNT-2: arith.extui
// CHECK: kernel.convolution {{.*}} : tensor<1x8x8x16xi32>, tensor<3x3x16x16xi32> -> tensor<1x6x6x16xi32>
func.func @unsigned(%x: tensor<4x8xui8>, %w: tensor<8x16xui8>, %i: tensor<1x8x8x16xui8>, %k: tensor<3x3x16x16xui8>)
    -> (tensor<4x16xi32>, tensor<1x6x6x16xi32>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xui8>, tensor<8x16xui8>) -> tensor<4x16xi32>
  %1 = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xui8>, tensor<3x3x16x16xui8>) -> tensor<1x6x6x16xi32>
  return %0, %1 : tensor<4x16xi32>, tensor<1x6x6x16xi32>
}

// Kernels give sums: what the root rounded them to is an epilogue, and nothing is left of what they were to be summed in.
// CHECK-LABEL: func.func @sums
// CHECK: %[[SUMS:.*]] = kernel.contract %arg0, %arg1
// CHECK-NOT: accumulator
// CHECK-SAME: : tensor<4x8xbf16>, tensor<8x16xbf16> -> tensor<4x16xf32>
// CHECK: %[[ROUNDED:.*]] = linalg.generic {{.*}}ins(%[[SUMS]] : tensor<4x16xf32>)
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: return %[[ROUNDED]]
func.func @sums(%x: tensor<4x8xbf16>, %w: tensor<8x16xbf16>) -> tensor<4x16xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xbf16>, tensor<8x16xbf16>) -> tensor<4x16xbf16>
  return %0 : tensor<4x16xbf16>
}

// Sums in f64 want operands in f64.
// CHECK-LABEL: func.func @wide_sums
// CHECK-COUNT-2: arith.extf %{{.*}} : f32 to f64
// CHECK: kernel.contract {{.*}} : tensor<4x8xf64>, tensor<8x16xf64> -> tensor<4x16xf64>
// CHECK: arith.truncf %{{.*}} : f64 to f32
func.func @wide_sums(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
