// RUN: heddle-opt %s --canonicalize | FileCheck %s

// A limit that is always the extent is none; another constant is one.
// CHECK-LABEL: func @folded
// CHECK: %[[ONE:.*]] = arith.constant 1 : index
// CHECK: kernel.contract %arg0, %arg1 {extents = array<i64: 2, 4, 3>
// CHECK-NOT: limited
// CHECK: kernel.contract %arg0, %arg1 limits(%[[ONE]], %arg2) {extents = array<i64: 2, 4, 3>{{.*}}, limited = array<i64: 0, 1>}
func.func @folded(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %n: index) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %one = arith.constant 1 : index
  %two = kernel.size <2>()
  %three = arith.constant 3 : index
  %0 = kernel.contract %x, %y limits(%two, %three) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 0, 2>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %1 = kernel.contract %x, %y limits(%one, %n, %three) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 0, 1, 2>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<2x4xf32>
}
