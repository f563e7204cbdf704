// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v4 %s | FileCheck %s

// What an epilogue reads of a column is loaded once for all rows of a tile, before the loop that stores; what it reads of a point is loaded there.
// CHECK-LABEL: func.func @both(
// CHECK: %[[BIAS:.*]] = vector.load %arg2[%{{.*}}] : memref<?xf32>, vector<16xf32>
// CHECK: scf.for
// CHECK-NOT: vector.load %arg2
// CHECK: vector.load %arg3
// CHECK-NEXT: arith.addf %{{.*}}, %[[BIAS]] : vector<16xf32>
// CHECK: vector.store %{{.*}}, %arg4
func.func @both(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>, %bias: tensor<32xf32>, %summands: tensor<4x32xf32>) -> tensor<4x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x8xf32>, tensor<1x8x32xf32> -> tensor<4x32xf32>
  %1 = tensor.empty() : tensor<4x32xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %bias, %summands : tensor<4x32xf32>, tensor<32xf32>, tensor<4x32xf32>) outs(%1 : tensor<4x32xf32>) {
  ^bb0(%x: f32, %beside: f32, %more: f32, %o: f32):
    %s = arith.addf %x, %beside : f32
    %e = math.erf %s : f32
    %r = arith.mulf %e, %more : f32
    linalg.yield %r : f32
  } -> tensor<4x32xf32>
  return %2 : tensor<4x32xf32>
}
