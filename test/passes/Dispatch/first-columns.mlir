// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-fuse-elementwise | FileCheck %s

// The first columns of a row, which the neutral form fetches by number, are
// read where they are.
// CHECK-LABEL: func @first_columns
// CHECK-SAME: %[[ROW:.*]]: tensor<1x96xf32>
func.func @first_columns(%row: tensor<1x96xf32>, %key: tensor<32x8xf32>) -> tensor<1x8xf32> {
  // CHECK-NOT: tensor.extract
  // CHECK: kernel.contract %[[ROW]]
  %vector = tensor.collapse_shape %row [[0, 1]] : tensor<1x96xf32> into tensor<96xf32>
  %empty = tensor.empty() : tensor<32xf32>
  %first = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%empty : tensor<32xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %element = tensor.extract %vector[%i] : tensor<96xf32>
    linalg.yield %element : f32
  } -> tensor<32xf32>
  %query = tensor.expand_shape %first [[0, 1]] output_shape [1, 32] : tensor<32xf32> into tensor<1x32xf32>
  %0 = kernel.contract %query, %key {extents = array<i64: 1, 8, 32>, indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], iterator_types = ["parallel", "parallel", "reduction"]} : tensor<1x32xf32>, tensor<32x8xf32> -> tensor<1x8xf32>
  return %0 : tensor<1x8xf32>
}
