// RUN: heddle-opt --heddle-merge-parallel-dots=max-rows=4 %s | FileCheck %s
// RUN: heddle-opt --heddle-merge-parallel-dots %s | FileCheck %s --check-prefix=OFF

// OFF-NOT: stablehlo.concatenate

// CHECK-LABEL: func.func @projections
// CHECK-SAME: (%[[X:.*]]: tensor<1x4x3xf32>)
// CHECK: %[[W:.*]] = stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<3x2xf32>, tensor<3x5xf32>) -> tensor<3x7xf32>
// CHECK: %[[P:.*]] = stablehlo.dot_general %[[X]], %[[W]], contracting_dims = [2] x [0] : (tensor<1x4x3xf32>, tensor<3x7xf32>) -> tensor<1x4x7xf32>
// CHECK: stablehlo.slice %[[P]] [0:1, 0:4, 0:2]
// CHECK: stablehlo.slice %[[P]] [0:1, 0:4, 2:7]
func.func @projections(%x: tensor<1x4x3xf32>) -> (tensor<1x4x2xf32>, tensor<1x4x5xf32>) {
  %q = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [2] x [0] : (tensor<1x4x3xf32>, tensor<3x2xf32>) -> tensor<1x4x2xf32>
  %k = stablehlo.constant dense<2.0> : tensor<3x5xf32>
  %1 = stablehlo.dot_general %x, %k, contracting_dims = [2] x [0] : (tensor<1x4x3xf32>, tensor<3x5xf32>) -> tensor<1x4x5xf32>
  return %0, %1 : tensor<1x4x2xf32>, tensor<1x4x5xf32>
}

// Too many rows, and weights that are not constant.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.concatenate
func.func @others(%x: tensor<5x3xf32>, %y: tensor<2x3xf32>, %w: tensor<3x2xf32>) -> (tensor<5x2xf32>, tensor<5x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %q = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %k = stablehlo.constant dense<2.0> : tensor<3x2xf32>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %1 = stablehlo.dot_general %x, %k, contracting_dims = [1] x [0] : (tensor<5x3xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  %2 = stablehlo.dot_general %y, %q, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %3 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<5x2xf32>, tensor<5x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// What is asked of one product is not asked of another: those with one algorithm are merged, and keep it.
// CHECK-LABEL: func.func @asked
// CHECK-COUNT-1: stablehlo.concatenate
// CHECK-NOT: stablehlo.concatenate
// CHECK: stablehlo.dot_general {{.*}}algorithm = <lhs_precision_type = tf32, {{.*}} -> tensor<4x4xf32>
// CHECK: stablehlo.dot_general {{.*}}algorithm = <lhs_precision_type = bf16, {{.*}} -> tensor<4x2xf32>
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGHEST, HIGHEST] {{.*}} -> tensor<4x2xf32>
// CHECK: return
func.func @asked(%x: tensor<4x3xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %q = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %2 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %3 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2, %3 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// Results of different types are different products.
// CHECK-LABEL: func.func @results
// CHECK-NOT: stablehlo.concatenate
func.func @results(%x: tensor<4x3xbf16>) -> (tensor<4x2xbf16>, tensor<4x2xf32>) {
  %q = stablehlo.constant dense<1.0> : tensor<3x2xbf16>
  %0 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<4x3xbf16>, tensor<3x2xbf16>) -> tensor<4x2xbf16>
  %1 = stablehlo.dot_general %x, %q, contracting_dims = [1] x [0] : (tensor<4x3xbf16>, tensor<3x2xbf16>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xbf16>, tensor<4x2xf32>
}
