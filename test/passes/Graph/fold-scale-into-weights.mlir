// RUN: heddle-opt --heddle-fold-scale-into-weights %s | FileCheck %s

// CHECK-LABEL: func.func @batch_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x3x8x8xf32>
func.func @batch_norm(%x: tensor<1x3x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %w = stablehlo.constant dense<0.5> : tensor<4x3x1x1xf32>
  %scale = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %offset = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %mean = stablehlo.constant dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>
  %variance = stablehlo.constant dense<[4.0, 9.0, 16.0, 25.0]> : tensor<4xf32>
  // CHECK: %[[ROOT:.*]] = stablehlo.sqrt
  // CHECK: %[[S:.*]] = stablehlo.divide %{{.*}}, %[[ROOT]] : tensor<4xf32>
  // CHECK: %[[SB:.*]] = stablehlo.broadcast_in_dim %[[S]], dims = [0] : (tensor<4xf32>) -> tensor<4x3x1x1xf32>
  // CHECK: %[[W:.*]] = stablehlo.multiply %[[SB]], %{{.*}} : tensor<4x3x1x1xf32>
  // CHECK: %[[C:.*]] = stablehlo.convolution(%[[X]], %[[W]])
  // CHECK: stablehlo.add %[[C]], %{{.*}} : tensor<1x4x8x8xf32>
  // CHECK-NEXT: return
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x1x1xf32>) -> tensor<1x4x8x8xf32>
  %1 = "stablehlo.batch_norm_inference"(%0, %scale, %offset, %mean, %variance) <{epsilon = 1.0e-5 : f32, feature_index = 1 : i64}> : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}

// (x w + b) * s + c: one product with weights, one bias.
// CHECK-LABEL: func.func @bias_then_scale
func.func @bias_then_scale(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = stablehlo.constant dense<0.5> : tensor<3x4xf32>
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %s = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[W:.*]] = stablehlo.multiply %{{.*}}, %{{.*}} : tensor<3x4xf32>
  // CHECK: %[[D:.*]] = stablehlo.dot_general %{{.*}}, %[[W]]
  // CHECK: stablehlo.add %[[D]]
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.add %0, %bb : tensor<2x4xf32>
  %2 = stablehlo.multiply %1, %sb : tensor<2x4xf32>
  %3 = stablehlo.add %2, %bb : tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// Weights that are no constants, and a product that somebody else reads too, stay as they are.
// CHECK-LABEL: func.func @not_weights
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3xf32>, %[[W:[^:]*]]: tensor<3x4xf32>
func.func @not_weights(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %c = stablehlo.constant dense<0.5> : tensor<3x4xf32>
  %s = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[W]]
  // CHECK: stablehlo.multiply %{{.*}}, %{{.*}} : tensor<2x4xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.multiply %0, %sb : tensor<2x4xf32>
  // CHECK: %[[D:.*]] = stablehlo.dot_general
  // CHECK: stablehlo.multiply %[[D]], %{{.*}} : tensor<2x4xf32>
  // CHECK: stablehlo.add %{{.*}}, %[[D]]
  %2 = stablehlo.dot_general %x, %c, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.multiply %2, %sb : tensor<2x4xf32>
  %4 = stablehlo.add %3, %2 : tensor<2x4xf32>
  return %1, %4 : tensor<2x4xf32>, tensor<2x4xf32>
}

// What is asked of the product stays with it.
// CHECK-LABEL: func.func @asked
// CHECK: stablehlo.dot_general {{.*}}algorithm = <lhs_precision_type = tf32
// CHECK-NEXT: return
func.func @asked(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = stablehlo.constant dense<0.5> : tensor<3x4xf32>
  %s = stablehlo.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.multiply %0, %sb : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
