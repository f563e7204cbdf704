// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-legalize-roots | FileCheck %s

// Bytes that kernels multiply floats by are in units of scales: bare ones become floats.
// CHECK-LABEL: func.func @bare_bytes
// CHECK: arith.sitofp %{{.*}} : i8 to f32
// CHECK: kernel.contract {{.*}} : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
func.func @bare_bytes(%x: tensor<4x8xf32>, %w: tensor<8x16xi8>) -> tensor<4x16xf32> {
  %0 = kernel.contract %x, %w {extents = array<i64: 4, 16, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]} : tensor<4x8xf32>, tensor<8x16xi8> -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
