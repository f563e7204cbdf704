// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4-bf16 | FileCheck %s
// Two activations of bf16. Rows that one tile of rows reads are interleaved as they are read.

// CHECK-LABEL: func.func @one_tile(
// CHECK-NOT: memref.view
// CHECK: scf.for
// CHECK: %[[PAIRS:.*]] = vector.interleave %{{.*}}, %{{.*}} : vector<16xi16> -> vector<32xi16>
// CHECK-COUNT-8: dpbf16ps.512
// CHECK-NOT: dpbf16ps.512
// CHECK: return
func.func @one_tile(%a: tensor<4x6xbf16>, %b: tensor<6x32xbf16>) -> tensor<4x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 6>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<4x6xbf16>, tensor<6x32xbf16> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// For several tiles they are interleaved once, in a panel.
// CHECK-LABEL: func.func @several_tiles(
// CHECK: %[[PANEL:.*]] = memref.view {{.*}} to memref<?xbf16>
// CHECK-COUNT-2: vector.interleave
// CHECK-NOT: vector.interleave
// CHECK: vector.load %[[PANEL]][%{{.*}}] : memref<?xbf16>, vector<32xbf16>
// CHECK: dpbf16ps.512
// CHECK: return
func.func @several_tiles(%a: tensor<60x6xbf16>, %b: tensor<6x32xbf16>) -> tensor<60x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 60, 32, 6>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<60x6xbf16>, tensor<6x32xbf16> -> tensor<60x32xf32>
  return %0 : tensor<60x32xf32>
}

// Pairs that lie side by side are transposed as words; sums begin with the last term, beside a zero.
// CHECK-LABEL: func.func @transposed(
// CHECK: vector.shuffle %{{.*}} : vector<16xi32>, vector<16xi32>
// CHECK: vector.insert %{{.*}}, %{{.*}} [0] : bf16 into vector<2xbf16>
// CHECK: dpbf16ps.512
// CHECK: scf.for
// CHECK: dpbf16ps.512
// CHECK: return
func.func @transposed(%a: tensor<4x65xbf16>, %b: tensor<32x65xbf16>) -> tensor<4x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 65>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<4x65xbf16>, tensor<32x65xbf16> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
