// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v4 --split-input-file %s | FileCheck %s

// One tile per head and block of rows. Keys are transposed into panels; scores
// are scaled, masked and turned into probabilities in scratch memory; each
// row's sum divides its results.

// CHECK-LABEL: func.func @plain
// CHECK-SAME: kernel.tiles = 2 : i64
// CHECK: vector.shuffle
// CHECK: math.fma
// CHECK: arith.mulf
// CHECK: arith.divf
// CHECK: math.fma
// CHECK: vector.store
func.func @plain(%q: tensor<1x14x2x16xf32>, %k: tensor<1x32x2x16xf32>, %v: tensor<1x32x2x16xf32>) -> tensor<1x14x2x16xf32> attributes {kernel.entry} {
  %0 = kernel.attention %q, %k, %v {
    extents = array<i64: 1, 2, 14, 32, 16, 16>,
    indexing_maps = [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>, affine_map<(b, h, m, n, d, e) -> (b, n, h, d)>,
                     affine_map<(b, h, m, n, d, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>],
    scale = 2.500000e-01 : f32
  } : tensor<1x14x2x16xf32>, tensor<1x32x2x16xf32>, tensor<1x32x2x16xf32> -> tensor<1x14x2x16xf32>
  return %0 : tensor<1x14x2x16xf32>
}

// -----

// Causal: tiles of rows skip the panels that they see nothing of, and what is
// hidden within a panel is dropped lane by lane.

// CHECK-LABEL: func.func @causal
// CHECK: %[[SEES:.*]] = arith.cmpi slt
// CHECK: scf.if %[[SEES]]
// CHECK: math.fma
// CHECK: arith.cmpi sle, %{{.*}} : vector<16xi32>
// CHECK-NEXT: arith.select
func.func @causal(%q: tensor<1x64x2x16xf32>, %k: tensor<1x64x2x16xf32>, %v: tensor<1x64x2x16xf32>) -> tensor<1x64x2x16xf32> attributes {kernel.entry} {
  %0 = kernel.attention %q, %k, %v {
    extents = array<i64: 1, 2, 64, 64, 16, 16>,
    indexing_maps = [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>, affine_map<(b, h, m, n, d, e) -> (b, n, h, d)>,
                     affine_map<(b, h, m, n, d, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>],
    scale = 2.500000e-01 : f32, causal
  } : tensor<1x64x2x16xf32>, tensor<1x64x2x16xf32>, tensor<1x64x2x16xf32> -> tensor<1x64x2x16xf32>
  return %0 : tensor<1x64x2x16xf32>
}

// -----

// The loop over panels of keys begins at the window and ends at the length, which is read once for a row of the batch and held to the keys there are.

// CHECK-LABEL: func.func @cache
// CHECK: %[[LENGTH:.*]] = memref.load %arg3
// CHECK: %[[N:.*]] = arith.index_cast %[[LENGTH]] : i32 to index
// CHECK: %[[LOW:.*]] = arith.maxsi %[[N]], %c0
// CHECK: %[[KEYS:.*]] = arith.minsi %[[LOW]], %c512
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c32
// CHECK: math.fma
func.func @cache(%q: tensor<4x1x64xf32>, %k: tensor<4x512x64xf32>, %v: tensor<4x512x64xf32>, %n: tensor<4xi32>) -> (tensor<4x1x64xf32>, tensor<4x1xf32>) attributes {kernel.entry} {
  %0, %1 = kernel.attention %q, %k, %v lengths %n {
    extents = array<i64: 4, 1, 512, 64, 64>,
    indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
                     affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b)>, affine_map<(b, m, n, d, e) -> (b, m, e)>],
    scale = 2.500000e-01 : f32, causal, window = 64 : i64
  } : tensor<4x1x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32> lengths tensor<4xi32> -> tensor<4x1x64xf32>, tensor<4x1xf32>
  return %0, %1 : tensor<4x1x64xf32>, tensor<4x1xf32>
}

// -----

// Of a batch element beyond the limit nothing is computed, and a block of rows ends at theirs.

// CHECK-LABEL: func.func @limits
// CHECK-SAME: memref<?xf32>, %[[B:[^:]*]]: index, %[[M:[^:]*]]: index, %{{.*}}: memref<?xi8>
// CHECK-DAG: %[[BATCHES:.*]] = arith.minsi %[[B]], %
// CHECK-DAG: %[[ROWS:.*]] = arith.minsi %[[M]], %
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: scf.if %[[INSIDE]]
// CHECK: math.fma
func.func @limits(%q: tensor<3x140x16xf32>, %k: tensor<3x32x16xf32>, %v: tensor<3x32x16xf32>, %b: index, %m: index) -> tensor<3x140x16xf32> attributes {kernel.entry} {
  %0 = kernel.attention %q, %k, %v limits(%b, %m) {
    extents = array<i64: 3, 140, 32, 16, 16>,
    indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
                     affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b, m, e)>],
    scale = 2.500000e-01 : f32, limited = array<i64: 0, 1>
  } : tensor<3x140x16xf32>, tensor<3x32x16xf32>, tensor<3x32x16xf32> -> tensor<3x140x16xf32>
  return %0 : tensor<3x140x16xf32>
}
