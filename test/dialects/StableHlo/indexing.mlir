// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @slices
func.func @slices(%x: tensor<4x6xf32>, %u: tensor<1x2xf32>, %i: tensor<i32>) {
  // CHECK-NEXT: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %0 = stablehlo.dynamic_slice %x, %i, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  // CHECK-NEXT: stablehlo.dynamic_update_slice %{{.*}} : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  %1 = stablehlo.dynamic_update_slice %x, %u, %i, %i : (tensor<4x6xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<4x6xf32>
  return
}

// CHECK-LABEL: func.func @gather_scatter
func.func @gather_scatter(%x: tensor<3x5x7xf32>, %i: tensor<3x2x1xi64>, %u: tensor<3x2x7xf32>) {
  // CHECK-NEXT: "stablehlo.gather"(%{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<3x5x7xf32>, tensor<3x2x1xi64>) -> tensor<3x2x7xf32>
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, slice_sizes = array<i64: 1, 1, 7>}> : (tensor<3x5x7xf32>, tensor<3x2x1xi64>) -> tensor<3x2x7xf32>
  // CHECK-NEXT: "stablehlo.scatter"(%{{.*}}) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = true}> ({
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<3x5x7xf32>, tensor<3x2x1xi64>, tensor<3x2x7xf32>) -> tensor<3x5x7xf32>
  return
}

// CHECK-LABEL: func.func @sort
func.func @sort(%x: tensor<3x5xf32>, %i: tensor<3x5xi32>) {
  // CHECK-NEXT: "stablehlo.sort"(%{{.*}}) <{dimension = 1 : i64, is_stable = true}> ({
  %0:2 = "stablehlo.sort"(%x, %i) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<i32>, %d: tensor<i32>):
    %1 = stablehlo.compare LT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x5xf32>, tensor<3x5xi32>) -> (tensor<3x5xf32>, tensor<3x5xi32>)
  return
}
