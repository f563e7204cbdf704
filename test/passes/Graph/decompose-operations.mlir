// RUN: heddle-opt %s --heddle-simplify --split-input-file | FileCheck %s

// CHECK-LABEL: func @training
func.func @training(%x: tensor<4x3xf16>, %s: tensor<3xf16>, %o: tensor<3xf16>) -> (tensor<4x3xf16>, tensor<3xf16>, tensor<3xf16>) {
  // Sums are of f32.
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4x3xf16>) -> tensor<4x3xf32>
  // CHECK: stablehlo.reduce
  // CHECK-NOT: batch_norm
  %0, %1, %2 = "stablehlo.batch_norm_training"(%x, %s, %o) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<4x3xf16>, tensor<3xf16>, tensor<3xf16>) -> (tensor<4x3xf16>, tensor<3xf16>, tensor<3xf16>)
  return %0, %1, %2 : tensor<4x3xf16>, tensor<3xf16>, tensor<3xf16>
}

// -----

// CHECK-LABEL: func @gradient
func.func @gradient(%x: tensor<4x3xf32>, %s: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %g: tensor<4x3xf32>) -> tensor<4x3xf32> {
  // CHECK: stablehlo.reduce
  // CHECK-NOT: batch_norm
  %0, %1, %2 = "stablehlo.batch_norm_grad"(%x, %s, %m, %v, %g) <{epsilon = 0.5 : f32, feature_index = 1 : i64}> : (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0 : tensor<4x3xf32>
}

// -----

// CHECK-LABEL: func @einsum
func.func @einsum(%x: tensor<5x2x3xf32>, %y: tensor<3x5x4xf32>) -> tensor<4x5x2xf32> {
  // CHECK: %[[D:.*]] = stablehlo.dot_general %{{.*}}, %{{.*}}, batching_dims = [0] x [1], contracting_dims = [2] x [0]
  // CHECK-SAME: -> tensor<5x2x4xf32>
  // CHECK: stablehlo.transpose %[[D]], dims = [2, 0, 1]
  %0 = stablehlo.einsum %x, %y, config = "abc,cad->dab" : (tensor<5x2x3xf32>, tensor<3x5x4xf32>) -> tensor<4x5x2xf32>
  return %0 : tensor<4x5x2xf32>
}

// -----

// CHECK-LABEL: func @index_select
func.func @index_select(%x: tensor<2x5x3xf32>, %i: tensor<2x4xi32>) -> tensor<2x4x3xf32> {
  // CHECK: stablehlo.gather
  // CHECK-SAME: offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2
  %0 = "stablehlo.torch_index_select"(%x, %i) <{dim = 1 : i64, batch_dims = 1 : i64}> : (tensor<2x5x3xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}
