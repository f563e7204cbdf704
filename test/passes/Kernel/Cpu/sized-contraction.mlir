// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s --check-prefix=REST
// Contractions over as many rows as a call has: whole register tiles, then one of the least height that is enough.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[A:.*]]: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %{{.*}}: index, %{{.*}}: index, %[[ROWS:.*]]: index, %{{.*}}: memref<?xi8>
// CHECK-SAME: kernel.size_arguments = #size.extents<floordiv(floordiv(rows + 13, 14) + 12, 13), floordiv(rows + 13, 14), rows>
// CHECK-SAME: kernel.tile_count = #size.expression<2 * floordiv(floordiv(rows + 13, 14) + 12, 13)>
// CHECK: %[[LEFT:.*]] = arith.subi %[[ROWS]]
// CHECK: %[[CUT:.*]] = arith.cmpi slt, %[[LEFT]], %c14
// CHECK: scf.if %[[CUT]] {
// Rows that do not exist are the last one again, and are not stored.
// CHECK: %[[LAST:.*]] = arith.addi %[[LEFT]], %c-1
// CHECK: arith.minsi %[[LAST]]
// CHECK: scf.for %{{.*}} = %c0 to %[[LEFT]] step %c1

// Four heights: a quarter, half, three quarters, all.
// REST-LABEL: func @rows(
// REST: arith.cmpi sgt, %[[LEFT:.*]], %c4
// REST: arith.cmpi sgt, %[[LEFT]], %c7
// REST: arith.cmpi sgt, %[[LEFT]], %c11
// REST-NOT: arith.cmpi sgt, %[[LEFT]]
// REST: return
func.func @rows(%a: tensor<512x64xf32, #size.extents<rows, 64>>, %b: tensor<2x64x32xf32>)
    -> tensor<512x64xf32, #size.extents<rows, 64>> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 512, 64, 64>, indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<512x64xf32, #size.extents<rows, 64>>, tensor<2x64x32xf32> -> tensor<512x64xf32, #size.extents<rows, 64>>
  return %0 : tensor<512x64xf32, #size.extents<rows, 64>>
}
