// Sums in f64 of f32 products are summed so, compiled and interpreted; what is less exact than f32 is computed in f32; precisions change nothing.

// RUN: heddle test %s | FileCheck %s
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @wide_sums() {
  %x = stablehlo.constant dense<[[16777216.0, 1.0, 1.0]]> : tensor<1x3xf32>
  %w = stablehlo.constant dense<1.0> : tensor<3x2xf32>
  %y, %v = stablehlo.optimization_barrier %x, %w : tensor<1x3xf32>, tensor<3x2xf32>
  %0 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x3xf32>, tensor<3x2xf32>) -> tensor<1x2xf32>
  "check.expect_eq_const"(%0) {value = dense<16777218.0> : tensor<1x2xf32>} : (tensor<1x2xf32>) -> ()
  return
}

// -----

func.func @tf32() {
  %x = stablehlo.constant dense<[[1.0001220703125, 1.0]]> : tensor<1x2xf32>
  %w = stablehlo.constant dense<1.0> : tensor<2x2xf32>
  %y, %v = stablehlo.optimization_barrier %x, %w : tensor<1x2xf32>, tensor<2x2xf32>
  %0 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  %1 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<1x2xf32>, tensor<2x2xf32>) -> tensor<1x2xf32>
  "check.expect_eq_const"(%0) {value = dense<2.0001220703125> : tensor<1x2xf32>} : (tensor<1x2xf32>) -> ()
  "check.expect_eq_const"(%1) {value = dense<2.0001220703125> : tensor<1x2xf32>} : (tensor<1x2xf32>) -> ()
  return
}

// -----

func.func @complex() {
  %x = stablehlo.constant dense<[[(16777216.0, 0.0), (1.0, 0.0), (1.0, 0.0)]]> : tensor<1x3xcomplex<f32>>
  %w = stablehlo.constant dense<(1.0, 0.0)> : tensor<3x2xcomplex<f32>>
  %y, %v = stablehlo.optimization_barrier %x, %w : tensor<1x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>
  %0 = stablehlo.dot_general %y, %v, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = f32, rhs_precision_type = f32, accumulation_type = f64, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x3xcomplex<f32>>, tensor<3x2xcomplex<f32>>) -> tensor<1x2xcomplex<f32>>
  %re = stablehlo.real %0 : (tensor<1x2xcomplex<f32>>) -> tensor<1x2xf32>
  "check.expect_eq_const"(%re) {value = dense<16777218.0> : tensor<1x2xf32>} : (tensor<1x2xf32>) -> ()
  return
}

// -----

// Attention in tf32 is exact on a processor: values with more bits come through.
func.func @attention() {
  %q = stablehlo.constant dense<[[[1.0, 2.0]]]> : tensor<1x1x2xf32>
  %k = stablehlo.constant dense<[[[1.0, 3.0], [1.0, 3.0]]]> : tensor<1x2x2xf32>
  %v = stablehlo.constant dense<[[[1.0001220703125], [1.0001220703125]]]> : tensor<1x2x1xf32>
  %x, %y, %z = stablehlo.optimization_barrier %q, %k, %v : tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x1xf32>
  %0 = stablehlo.composite "heddle.attention" %x, %y, %z {decomposition = @rounded} : (tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x1xf32>) -> tensor<1x1x1xf32>
  "check.expect_eq_const"(%0) {value = dense<1.0001220703125> : tensor<1x1x1xf32>} : (tensor<1x1x1xf32>) -> ()
  return
}
func.func private @rounded(%q: tensor<1x1x2xf32>, %k: tensor<1x2x2xf32>, %v: tensor<1x2x1xf32>) -> tensor<1x1x1xf32> {
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x1x2xf32>, tensor<1x2x2xf32>) -> tensor<1x1x2xf32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %max = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<1x1x2xf32>, tensor<f32>) -> tensor<1x1xf32>
  %top = stablehlo.broadcast_in_dim %max, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x1x2xf32>
  %shifted = stablehlo.subtract %s, %top : tensor<1x1x2xf32>
  %e = stablehlo.exponential %shifted : tensor<1x1x2xf32>
  %sum = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x1x2xf32>, tensor<f32>) -> tensor<1x1xf32>
  %all = stablehlo.broadcast_in_dim %sum, dims = [0, 1] : (tensor<1x1xf32>) -> tensor<1x1x2xf32>
  %p = stablehlo.divide %e, %all : tensor<1x1x2xf32>
  %r = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<1x1x2xf32>, tensor<1x2x1xf32>) -> tensor<1x1x1xf32>
  return %r : tensor<1x1x1xf32>
}
