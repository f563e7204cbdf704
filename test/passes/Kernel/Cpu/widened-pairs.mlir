// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v3 | FileCheck %s
// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4-bf16 | FileCheck %s --check-prefix=PAIRS
// Where pairs of bf16 are taken apart, what meets often is so once: rows and a panel are copied as f32, and the tile takes nothing apart.

// CHECK-LABEL: func.func @many(
// CHECK-DAG: %[[COLUMNS:.*]] = memref.view {{.*}} to memref<?xf32>
// CHECK-DAG: %[[ROWS:.*]] = memref.view {{.*}} to memref<?xf32>
// The later term of each pair comes first.
// CHECK: arith.extf %{{.*}} : vector<16xbf16> to vector<16xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14] : vector<16xf32>, vector<16xf32>
// CHECK: arith.andi
// CHECK: arith.shli
// CHECK: iter_args
// CHECK-NOT: arith.andi
// CHECK-NOT: bf16
// CHECK: math.fma
// CHECK-NOT: arith.andi
// CHECK: scf.yield
// PAIRS-LABEL: func.func @many(
// PAIRS-NOT: memref.view
// PAIRS: dpbf16ps.512
// PAIRS: return
func.func @many(%a: tensor<96x256xbf16>, %b: tensor<16x128x32x2xbf16>) -> tensor<96x512xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 96, 512, 256>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<96x256xbf16>, tensor<16x128x32x2xbf16> -> tensor<96x512xf32>
  return %0 : tensor<96x512xf32>
}

// Few rows are not worth the copies.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: memref.view
// CHECK: iter_args
// CHECK: arith.andi
// CHECK: math.fma
// CHECK: return
func.func @few(%a: tensor<24x1024xbf16>, %b: tensor<16x512x32x2xbf16>) -> tensor<24x512xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 24, 512, 1024>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<24x1024xbf16>, tensor<16x512x32x2xbf16> -> tensor<24x512xf32>
  return %0 : tensor<24x512xf32>
}
