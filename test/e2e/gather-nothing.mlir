// A slice of no elements in a dimension that is dropped, as JAX takes from an empty array: zeros, and nothing is read. The indices would be outside.
// RUN: heddle test %s | FileCheck %s
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped
func.func @main() {
  %x = stablehlo.constant dense<1.0> : tensor<5x3xf32>
  %none = stablehlo.constant dense<> : tensor<0x3xf32>
  %i = stablehlo.constant dense<[[5], [9]]> : tensor<2x1xi32>
  %one = stablehlo.constant dense<[5]> : tensor<1xi32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3xf32>
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
    index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>} : (tensor<5x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%0, %zero) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %1 = "stablehlo.gather"(%none, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
    index_vector_dim = 1>, slice_sizes = array<i64: 0, 3>} : (tensor<0x3xf32>, tensor<2x1xi32>) -> tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%1, %zero) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  // One slice at a known index.
  %2 = "stablehlo.gather"(%x, %one) {dimension_numbers = #stablehlo.gather<offset_dims = [0], collapsed_slice_dims = [0], start_index_map = [0]>,
    slice_sizes = array<i64: 0, 3>} : (tensor<5x3xf32>, tensor<1xi32>) -> tensor<3xf32>
  stablehlo.custom_call @check.expect_eq(%2, %zeros) {has_side_effect = true} : (tensor<3xf32>, tensor<3xf32>) -> ()
  return
}
