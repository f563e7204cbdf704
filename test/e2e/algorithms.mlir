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
