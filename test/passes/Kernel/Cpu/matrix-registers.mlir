// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4-amx | FileCheck %s
// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4-bf16 | FileCheck %s --check-prefix=VECTORS
// VECTORS-NOT: llvm.x86.tile

// Rows in tiles of two heights, columns in panels, and a depth of two whole products and a rest, which is copied and multiplied first. What follows
// the sums of one tile is done beside the products of the next one.
// CHECK-LABEL: func.func @bytes(
// CHECK: scf.for %[[TILE:.*]] = %c0{{.*}} iter_args
// CHECK: scf.if
// CHECK: llvm.x86.ldtilecfg
// CHECK: llvm.x86.ldtilecfg
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK: vector.maskedload {{.*}} vector<64xi8>
// CHECK-COUNT-4: llvm.x86.tdpbusd
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c2
// CHECK: scf.if
// CHECK: llvm.x86.tileloadd64
// CHECK-COUNT-4: llvm.x86.tdpbusd
// CHECK-NOT: llvm.x86.tile
// CHECK: arith.sitofp
// CHECK: vector.store
// CHECK-COUNT-4: llvm.x86.tilestored64
// CHECK: llvm.x86.tilerelease
func.func @bytes(%a: tensor<63x140xi8>, %b: tensor<2x35x32x4xi8>) -> tensor<63x64xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 63, 64, 140>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/4 n%32 k%4", lhs_type = ui8
  } : tensor<63x140xi8>, tensor<2x35x32x4xi8> -> tensor<63x64xi32>
  %1 = tensor.empty() : tensor<63x64xf32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]
  } ins(%0 : tensor<63x64xi32>) outs(%1 : tensor<63x64xf32>) {
  ^bb0(%sum: i32, %out: f32):
    %f = arith.sitofp %sum : i32 to f32
    linalg.yield %f : f32
  } -> tensor<63x64xf32>
  return %2 : tensor<63x64xf32>
}

// Up to 16 rows take one register, up to 16 columns another.
// CHECK-LABEL: func.func @pairs(
// CHECK-COUNT-1: llvm.x86.tilezero
// CHECK-NOT: llvm.x86.tilezero
// CHECK-COUNT-1: llvm.x86.tdpbf16ps
// CHECK-NOT: llvm.x86.tdpbf16ps
// CHECK: return
func.func @pairs(%a: tensor<16x64xbf16>, %b: tensor<1x32x32x2xbf16>) -> tensor<16x16xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 16, 16, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<16x64xbf16>, tensor<1x32x32x2xbf16> -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// A depth of three blocks, the last one product shorter: sums go on from memory. Rows are read where they are for the first panel of a piece and stored
// in one piece for the others; what goes by leaves the panel's block in the first cache.
// CHECK-LABEL: func.func @deep(
// CHECK: scf.for %{{.*}} = %c0{{.*}} iter_args
// CHECK: llvm.x86.ldtilecfg
// CHECK: scf.if
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK: } else {
// CHECK-COUNT-4: llvm.x86.tileloadd64
// CHECK: scf.for
// CHECK: llvm.x86.tileloadd64
// CHECK: llvm.x86.tileloaddt164
// CHECK-COUNT-4: llvm.x86.tdpbusd
// CHECK-COUNT-2: llvm.x86.tilestored64
// CHECK: } else {
// CHECK-COUNT-4: llvm.x86.tdpbusd
// CHECK-NOT: llvm.x86.tilestored64
// CHECK: memref.prefetch
// CHECK: vector.store
// CHECK-COUNT-4: llvm.x86.tilestored64
// CHECK: llvm.x86.tilerelease
func.func @deep(%a: tensor<2048x3008xi8>, %b: tensor<64x752x32x4xi8>) -> tensor<2048x2048xi32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 2048, 2048, 3008>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/4 n%32 k%4", lhs_type = ui8
  } : tensor<2048x3008xi8>, tensor<64x752x32x4xi8> -> tensor<2048x2048xi32>
  return %0 : tensor<2048x2048xi32>
}

// Of few tiles of rows, each stays in the first cache while panels go by.
// CHECK-LABEL: func.func @near(
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK: llvm.x86.tileloaddt164
// CHECK: llvm.x86.tileloadd64
// CHECK: llvm.x86.tdpbusd
// CHECK: llvm.x86.tileloaddt164
// CHECK: llvm.x86.tdpbusd
// CHECK: llvm.x86.tileloadd64
// CHECK-NOT: llvm.x86.tileload
// CHECK-NOT: memref.prefetch
// CHECK: llvm.x86.tilerelease
func.func @near(%a: tensor<64x256xi8>, %b: tensor<16x64x32x4xi8>) -> tensor<64x512xi32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 64, 512, 256>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/4 n%32 k%4", lhs_type = ui8
  } : tensor<64x256xi8>, tensor<16x64x32x4xi8> -> tensor<64x512xi32>
  return %0 : tensor<64x512xi32>
}

// Few rows stay in vectors.
// CHECK-LABEL: func.func @few(
// CHECK-NOT: llvm.x86.tile
// CHECK: return
func.func @few(%a: tensor<3x64xbf16>, %b: tensor<1x32x32x2xbf16>) -> tensor<3x16xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 3, 16, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<3x64xbf16>, tensor<1x32x32x2xbf16> -> tensor<3x16xf32>
  return %0 : tensor<3x16xf32>
}

// A window of 3 x 3 with a border: rows of the image are copied with zeros around them, in one plane, and a product takes 48 bytes of the taps of a
// row, which are neighbours there. Two registers of 16 positions, or one behind the last whole block.
// CHECK-LABEL: func.func @window(
// CHECK: vector.store {{.*}} vector<64xi8>
// CHECK: llvm.x86.ldtilecfg
// CHECK-COUNT-4: llvm.x86.tilezero
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c3
// CHECK-COUNT-4: llvm.x86.tdpbusd
// CHECK-COUNT-4: llvm.x86.tilestored64
// CHECK: } else {
// CHECK-COUNT-2: llvm.x86.tdpbusd
// CHECK-COUNT-2: llvm.x86.tilestored64
// CHECK-NOT: llvm.x86.tdpbusd
// CHECK: llvm.x86.tilerelease
func.func @window(%a: tensor<1x14x14x16xi8>, %b: tensor<1x1x3x3x4x32x4xi8>) -> tensor<1x14x14x32xi32> attributes {kernel.entry} {
  %0 = kernel.convolution %a, %b {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, groups = 1 : i64,
    lhs_type = ui8, weights_packing = "* i (g=1 o) -> g o/32 * i/4 o%32 i%4"
  } : tensor<1x14x14x16xi8>, tensor<1x1x3x3x4x32x4xi8> -> tensor<1x14x14x32xi32>
  return %0 : tensor<1x14x14x32xi32>
}

// Zeros between the points of an input stay in vectors.
// CHECK-LABEL: func.func @spread(
// CHECK-NOT: llvm.x86.tile
// CHECK: return
func.func @spread(%a: tensor<1x14x14x16xi8>, %b: tensor<1x1x3x3x4x32x4xi8>) -> tensor<1x25x25x32xi32> attributes {kernel.entry} {
  %0 = kernel.convolution %a, %b {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 2, 2>, rhs_dilation = array<i64: 1, 1>, groups = 1 : i64,
    lhs_type = ui8, weights_packing = "* i (g=1 o) -> g o/32 * i/4 o%32 i%4"
  } : tensor<1x14x14x16xi8>, tensor<1x1x3x3x4x32x4xi8> -> tensor<1x25x25x32xi32>
  return %0 : tensor<1x25x25x32xi32>
}

// So do filters in panels of single terms, of which no register takes several.
// CHECK-LABEL: func.func @panels(
// CHECK-NOT: llvm.x86.tile
// CHECK: return
func.func @panels(%a: tensor<1x14x14x16xbf16>, %b: tensor<1x1x3x3x16x32xbf16>) -> tensor<1x14x14x32xf32> attributes {kernel.entry} {
  %0 = kernel.convolution %a, %b {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, groups = 1 : i64,
    weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x14x14x16xbf16>, tensor<1x1x3x3x16x32xbf16> -> tensor<1x14x14x32xf32>
  return %0 : tensor<1x14x14x32xf32>
}

// Tiles are cut from a dimension with enough rows, though one of seven rows makes fuller ones for vectors.
// CHECK-LABEL: func.func @enough(
// CHECK: llvm.x86.tdpbusd
// CHECK-NOT: vpdpbusd
// CHECK: return
func.func @enough(%a: tensor<10x7x128xi8>, %b: tensor<2x32x32x4xi8>) -> tensor<10x7x64xi32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 10, 7, 64, 128>,
    indexing_maps = [affine_map<(p, m, n, k) -> (p, m, k)>, affine_map<(p, m, n, k) -> (n, k)>, affine_map<(p, m, n, k) -> (p, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/4 n%32 k%4", lhs_type = ui8
  } : tensor<10x7x128xi8>, tensor<2x32x32x4xi8> -> tensor<10x7x64xi32>
  return %0 : tensor<10x7x64xi32>
}
