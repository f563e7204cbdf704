// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// Contractions over as many rows as a call has: the fewest register tiles, of two heights next to each other.

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// CHECK-LABEL: func @rows(
// CHECK-SAME: index, %[[TILES:.*]]: index, %[[ROWS:.*]]: index, %{{.*}}: memref<?xi8>
// CHECK-SAME: kernel.size_arguments = #size.extents<floordiv(rows + 175, 176), floordiv(rows + 7, 8), rows>
// CHECK-SAME: kernel.tile_count = #size.expression<2 * floordiv(rows + 175, 176)>
// CHECK: %[[MORE:.*]] = arith.addi %[[ROWS]], %c1
// CHECK-NEXT: %[[PAIRS:.*]] = arith.divui %[[MORE]], %c2
// CHECK-NEXT: %[[AT:.*]] = arith.muli %[[TILE:.*]], %[[PAIRS]]
// CHECK-NEXT: %[[PAIR:.*]] = arith.divui %[[AT]], %[[TILES]]
// CHECK-NEXT: %[[ROW:.*]] = arith.muli %[[PAIR]], %c2
// CHECK-NEXT: %[[FIRST:.*]] = arith.minsi %[[ROW]], %[[ROWS]]
// CHECK-NEXT: arith.addi %[[TILE]], %c1
// CHECK: %[[NEXT:.*]] = arith.minsi
// CHECK: %[[HEIGHT:.*]] = arith.subi %[[NEXT]], %[[FIRST]]
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c7
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c5
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c3
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

// Panels that come from memory: the passes over one share the fetching of the next, as many as there are. One row alone does not.
// CHECK-LABEL: func @streamed(
// CHECK: %[[PASSES:.*]] = arith.subi
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[PASSES]], %c31
// CHECK-NEXT: arith.divui %[[SUM]], %[[PASSES]]
// Heights are even, but for one row: that of an odd number which is missing is not stored, and the row before it is read in its place.
// CHECK: arith.cmpi slt, %[[HEIGHT:.*]], %c7
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c5
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c3
// CHECK: arith.cmpi slt, %[[HEIGHT]], %c2
// CHECK-NOT: memref.prefetch
// CHECK: %[[LAST:.*]] = arith.addi %[[HEIGHT]], %c-1
// CHECK-NEXT: arith.minsi %[[LAST]], %c1 :
// CHECK-NOT: memref.prefetch
// CHECK: %[[LAST4:.*]] = arith.addi %[[HEIGHT]], %c-1
// CHECK-NEXT: arith.minsi %[[LAST4]], %c3 :
// CHECK: memref.prefetch
// CHECK: %[[LAST6:.*]] = arith.addi %[[HEIGHT]], %c-1
// CHECK-NEXT: arith.minsi %[[LAST6]], %c5 :
// CHECK: memref.prefetch
// What was summed up is stored in one loop over as many rows as there are.
// CHECK: scf.for %{{.*}} = %c0 to %[[HEIGHT]]
// CHECK: return
func.func @streamed(%a: tensor<512x1024xf32, #size.extents<rows, 1024>>, %b: tensor<128x1024x32xf32>)
    -> tensor<512x4096xf32, #size.extents<rows, 4096>> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 512, 4096, 1024>, indexing_maps = [#mk, #nk, #mn], iterator_types = ["parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<512x1024xf32, #size.extents<rows, 1024>>, tensor<128x1024x32xf32> -> tensor<512x4096xf32, #size.extents<rows, 4096>>
  return %0 : tensor<512x4096xf32, #size.extents<rows, 4096>>
}

// Rows of two dimensions are one, for the bias and what is added, too.
// CHECK-LABEL: func @merged(
// CHECK-SAME: kernel.size_arguments = #size.extents<{{[^>]*}}floordiv(batch * sequence + 7, 8), batch * sequence>
// CHECK-NOT: memref<?x?x
func.func @merged(%a: tensor<4x16x8xf32, #size.extents<batch, sequence, 8>>, %b: tensor<1x8x32xf32>, %c: tensor<32xf32>,
                  %d: tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>)
    -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 16, 32, 8>, indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>,
      affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x16x8xf32, #size.extents<batch, sequence, 8>>, tensor<1x8x32xf32> -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  %e = tensor.empty() : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>,
      affine_map<(b, m, n) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %0, %d : tensor<32xf32>, tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>,
          tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>) outs(%e : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>) {
  ^bb0(%x: f32, %y: f32, %z: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.addf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  return %1 : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
}

// Not where a row's place in one of them counts.
// CHECK-LABEL: func @apart(
// CHECK-SAME: kernel.size_arguments = #size.extents<{{[^>]*}}floordiv(sequence + 7, 8), sequence
func.func @apart(%a: tensor<4x16x8xf32, #size.extents<batch, sequence, 8>>, %b: tensor<1x8x32xf32>, %c: tensor<16x32xf32>)
    -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 16, 32, 8>, indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>,
      affine_map<(b, m, n, k) -> (b, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x16x8xf32, #size.extents<batch, sequence, 8>>, tensor<1x8x32xf32> -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  %e = tensor.empty() : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  %1 = linalg.generic {indexing_maps = [affine_map<(b, m, n) -> (m, n)>, affine_map<(b, m, n) -> (b, m, n)>, affine_map<(b, m, n) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%c, %0 : tensor<16x32xf32>, tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>)
      outs(%e : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
  return %1 : tensor<4x16x32xf32, #size.extents<batch, sequence, 32>>
}
