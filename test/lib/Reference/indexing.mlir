// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

// Starts are moved so that the slice stays inside.
func.func @slices() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %far = stablehlo.constant dense<4> : tensor<i32>
  %s = stablehlo.dynamic_slice %x, %far, sizes = [2] : (tensor<5xi32>, tensor<i32>) -> tensor<2xi32>
  "check.expect_eq_const"(%s) {value = dense<[4, 5]> : tensor<2xi32>} : (tensor<2xi32>) -> ()
  %before = stablehlo.constant dense<-3> : tensor<i32>
  %u = stablehlo.dynamic_update_slice %x, %s, %before : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  "check.expect_eq_const"(%u) {value = dense<[4, 5, 3, 4, 5]> : tensor<5xi32>} : (tensor<5xi32>) -> ()
  return
}

// -----

func.func @gathers() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %i = stablehlo.constant dense<[2, 0, 9]> : tensor<3xi64>
  %rows = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>} : (tensor<3x2xi32>, tensor<3xi64>) -> tensor<3x2xi32>
  "check.expect_eq_const"(%rows) {value = dense<[[5, 6], [1, 2], [5, 6]]> : tensor<3x2xi32>} : (tensor<3x2xi32>) -> ()
  %j = stablehlo.constant dense<[[1], [0], [1]]> : tensor<3x1xi64>
  %batched = "stablehlo.gather"(%x, %j) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 1>} : (tensor<3x2xi32>, tensor<3x1xi64>) -> tensor<3xi32>
  "check.expect_eq_const"(%batched) {value = dense<[2, 3, 6]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}

// -----

// Updates outside are left out; equal places are combined in order.
func.func @scatters() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %i = stablehlo.constant dense<[[0], [2], [0], [7]]> : tensor<4x1xi64>
  %u = stablehlo.constant dense<[10, 20, 30, 40]> : tensor<4xi32>
  %s = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<3xi32>, tensor<4x1xi64>, tensor<4xi32>) -> tensor<3xi32>
  "check.expect_eq_const"(%s) {value = dense<[41, 2, 23]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}

// -----

func.func @sorts() {
  %k = stablehlo.constant dense<[[2, 1, 2, 0], [3, 3, 1, 2]]> : tensor<2x4xi32>
  %v = stablehlo.iota dim = 1 : tensor<2x4xi32>
  %s:2 = "stablehlo.sort"(%k, %v) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>, %va: tensor<i32>, %vb: tensor<i32>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64, is_stable = true} : (tensor<2x4xi32>, tensor<2x4xi32>) -> (tensor<2x4xi32>, tensor<2x4xi32>)
  "check.expect_eq_const"(%s#0) {value = dense<[[0, 1, 2, 2], [1, 2, 3, 3]]> : tensor<2x4xi32>} : (tensor<2x4xi32>) -> ()
  "check.expect_eq_const"(%s#1) {value = dense<[[3, 1, 0, 2], [2, 3, 0, 1]]> : tensor<2x4xi32>} : (tensor<2x4xi32>) -> ()
  %x = stablehlo.constant dense<[1.0, 0x7FC00000, 3.0, 3.0]> : tensor<4xf32>
  %values, %indices = chlo.top_k(%x, k = 3) : tensor<4xf32> -> (tensor<3xf32>, tensor<3xi32>)
  "check.expect_eq_const"(%values) {value = dense<[0x7FC00000, 3.0, 3.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  "check.expect_eq_const"(%indices) {value = dense<[1, 2, 3]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  return
}
