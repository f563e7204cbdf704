// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// Contractions over as many rows as a call has: the fewest register tiles, of two heights next to each other.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @rows(
// CHECK-SAME: index, %[[TILES:.*]]: index, %[[ROWS:.*]]: index, %{{.*}}: memref<?xi8>
// CHECK-SAME: kernel.size_arguments = #size.extents<floordiv(floordiv(rows + 7, 8) + 21, 22), floordiv(rows + 7, 8), rows>
// CHECK-SAME: kernel.tile_count = #size.expression<2 * floordiv(floordiv(rows + 7, 8) + 21, 22)>
// CHECK: %[[AT:.*]] = arith.muli %[[TILE:.*]], %[[ROWS]]
// CHECK-NEXT: %[[FIRST:.*]] = arith.divui %[[AT]], %[[TILES]]
// CHECK-NEXT: arith.addi %[[TILE]], %c1
// CHECK: %[[NEXT:.*]] = arith.divui
// CHECK: %[[HEIGHT:.*]] = arith.subi %[[NEXT]], %[[FIRST]]
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c8
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c7
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c2
// CHECK-NOT: arith.cmpi slt, %[[HEIGHT]]
// CHECK: return
func.func @rows(%a: tensor<512x64xf32, #size.extents<rows, 64>>, %b: tensor<2x64x32xf32>)
    -> tensor<512x64xf32, #size.extents<rows, 64>> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 512, 64, 64>, indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<512x64xf32, #size.extents<rows, 64>>, tensor<2x64x32xf32> -> tensor<512x64xf32, #size.extents<rows, 64>>
  return %0 : tensor<512x64xf32, #size.extents<rows, 64>>
}
