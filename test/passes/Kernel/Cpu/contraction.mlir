// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v4 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,V4
// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v3 --split-input-file %s | FileCheck %s --check-prefixes=CHECK,V3

// 28 rows: two tiles of 14 rows by a panel with 32 registers, five of at most
// six rows by half a panel with 16. Steps are written out by four; sums leave
// the loop in registers.

// CHECK-LABEL: func.func @packed
// CHECK-SAME: %[[A:[^:]*]]: memref<?xf32>, %[[B:[^:]*]]: memref<?xf32>, %[[C:[^:]*]]: memref<?xf32>
// V4: %[[SUMS:.*]]:28 = scf.for
// V3: %[[SUMS:.*]]:6 = scf.for
// CHECK: vector.load %[[B]]
// V4-NEXT: arith.constant
// V4-NEXT: arith.addi
// V4-NEXT: vector.load %[[B]]
// CHECK: memref.load %[[A]]
// CHECK-NEXT: vector.broadcast
// CHECK-NEXT: math.fma
// V4-NEXT: math.fma
// CHECK: scf.yield
// CHECK: vector.store %[[SUMS]]#0, %[[C]]
func.func @packed(%a: tensor<28x64xf32>, %b: tensor<32x64x32xf32>) -> tensor<28x1024xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 28, 1024, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<28x64xf32>, tensor<32x64x32xf32> -> tensor<28x1024xf32>
  return %0 : tensor<28x1024xf32>
}

// -----

// Little work gets little code: tiles of one height, one step an iteration. 40
// rows are four tiles of 10, where more work would have 14, 13 and 13.

// CHECK-LABEL: func.func @small
// CHECK-SAME: %[[A:[^:]*]]: memref<?xf32>
// V4: %{{.*}}:20 = scf.for
// V4-COUNT-10: memref.load %[[A]]
// V3: %{{.*}}:5 = scf.for
// V3-COUNT-5: memref.load %[[A]]
// CHECK-NOT: memref.load
// CHECK: return
func.func @small(%a: tensor<40x64xf32>, %b: tensor<1x64x32xf32>) -> tensor<40x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 40, 32, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<40x64xf32>, tensor<1x64x32xf32> -> tensor<40x32xf32>
  return %0 : tensor<40x32xf32>
}

// -----

// Three columns past a panel: the tail has code of its own, whose stores are
// masked; packed panels need no mask to be read.

// CHECK-LABEL: func.func @tail
// CHECK: scf.for
// CHECK-NOT: vector.maskedload
// CHECK: vector.maskedstore
func.func @tail(%a: tensor<4x8xf32>, %b: tensor<2x8x32xf32>) -> tensor<4x35xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 35, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x8xf32>, tensor<2x8x32xf32> -> tensor<4x35xf32>
  return %0 : tensor<4x35xf32>
}

// -----

// One row: several panels at once hide the latency of the multiply-add. Nothing
// is fetched ahead.

// CHECK-LABEL: func.func @vector_by_matrix
// CHECK-NOT: memref.prefetch
// V4: %{{.*}}:8 = scf.for
// V3: %{{.*}}:4 = scf.for
// CHECK: return
func.func @vector_by_matrix(%a: tensor<1x4096xf32>, %b: tensor<128x4096x32xf32>) -> tensor<1x4096xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 1, 4096, 4096>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<1x4096xf32>, tensor<128x4096x32xf32> -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}

// -----

// A few passes over panels that come from memory: each fetches a part of the
// next panel.

// CHECK-LABEL: func.func @few_rows
// V4: memref.prefetch
func.func @few_rows(%a: tensor<32x1024xf32>, %b: tensor<128x1024x32xf32>) -> tensor<32x4096xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 32, 4096, 1024>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<32x1024xf32>, tensor<128x1024x32xf32> -> tensor<32x4096xf32>
  return %0 : tensor<32x4096xf32>
}

// -----

// An unpacked operand whose depth is contiguous is transposed into a panel of
// the scratch memory, 16 by 16 in registers.

// CHECK-LABEL: func.func @transposed_into_panel
// CHECK: %[[PANEL:.*]] = memref.view
// CHECK: vector.shuffle
// CHECK: vector.store %{{.*}}, %[[PANEL]]
// CHECK: vector.load %[[PANEL]]
// CHECK: math.fma
func.func @transposed_into_panel(%a: tensor<64x32xf32>, %b: tensor<64x32xf32>) -> tensor<64x64xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 64, 64, 32>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<64x32xf32>, tensor<64x32xf32> -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// -----

// A cheap epilogue works on the sums where they are.

// CHECK-LABEL: func.func @relu
// CHECK: %[[SUMS:.*]]:{{[0-9]+}} = scf.for
// CHECK: scf.yield
// CHECK-NOT: vector.store %[[SUMS]]
// CHECK: arith.{{.*}} %[[SUMS]]#0
func.func @relu(%a: tensor<28x64xf32>, %b: tensor<2x64x32xf32>) -> tensor<28x64xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 28, 64, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<28x64xf32>, tensor<2x64x32xf32> -> tensor<28x64xf32>
  %1 = tensor.empty() : tensor<28x64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<28x64xf32>) outs(%1 : tensor<28x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %zero = arith.constant 0.0 : f32
    %r = arith.maximumf %x, %zero : f32
    linalg.yield %r : f32
  } -> tensor<28x64xf32>
  return %2 : tensor<28x64xf32>
}

// -----

// An expensive one is written once, in a loop over the tile in L1.

// CHECK-LABEL: func.func @tanh
// CHECK: %[[TILE:.*]] = memref.view
// CHECK: vector.store %{{.*}}, %[[TILE]]
// CHECK: scf.for
// CHECK-NEXT: arith.constant
// CHECK: vector.load %[[TILE]]
func.func @tanh(%a: tensor<28x64xf32>, %b: tensor<2x64x32xf32>) -> tensor<28x64xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 28, 64, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<28x64xf32>, tensor<2x64x32xf32> -> tensor<28x64xf32>
  %1 = tensor.empty() : tensor<28x64xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<28x64xf32>) outs(%1 : tensor<28x64xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = math.tanh %x : f32
    linalg.yield %r : f32
  } -> tensor<28x64xf32>
  return %2 : tensor<28x64xf32>
}

// -----

// A limit is at most the extent, whatever the launch says. Groups of columns end at theirs, few rows of a tile are computed one by one, and the sum ends
// where the launch says.

// CHECK-LABEL: func.func @limits
// CHECK-SAME: %[[A:[^:]*]]: memref<?xf32>, %[[B:[^:]*]]: memref<?xf32>, %[[C:[^:]*]]: memref<?xf32>, %[[M:[^:]*]]: index, %[[N:[^:]*]]: index, %[[K:[^:]*]]: index, %{{.*}}: memref<?xi8>
// CHECK-DAG: arith.minsi %[[M]], %
// CHECK-DAG: arith.minsi %[[N]], %
// CHECK-DAG: %[[MOST:.*]] = arith.minsi %[[K]], %
// CHECK: scf.if
// V4: %{{.*}}:28 = scf.for
// CHECK: } else {
// V4: %{{.*}}:2 = scf.for
func.func @limits(%a: tensor<28x64xf32>, %b: tensor<32x64x32xf32>, %m: index, %n: index, %k: index) -> tensor<28x1024xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b limits(%m, %n, %k) {
    extents = array<i64: 28, 1024, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32", limited = array<i64: 0, 1, 2>
  } : tensor<28x64xf32>, tensor<32x64x32xf32> -> tensor<28x1024xf32>
  return %0 : tensor<28x1024xf32>
}
