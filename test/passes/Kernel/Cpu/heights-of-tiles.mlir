// RUN: heddle-opt %s --split-input-file --heddle-lower-kernels=target=x86-64-v4 | FileCheck %s
// Code for the heights of tiles that the ranges of sizes leave possible.

module attributes {heddle.symbols = [{name = "rows", minimum = 8, maximum = 64, multiple = 8}]} {
  // Every tile has eight rows, whose sums go where they belong at once.
  // CHECK-LABEL: func @eights(
  // CHECK-NOT: scf.if
  // CHECK: vector.store
  // CHECK-NOT: scf.if
  // CHECK-NOT: vector.load
  // CHECK: return
  func.func @eights(%x: tensor<64x19xf32, #size.extents<rows, 19>>, %w: tensor<1x19x32xf32>) -> tensor<64x32xf32, #size.extents<rows, 32>> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {extents = array<i64: 64, 32, 19>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"} : tensor<64x19xf32, #size.extents<rows, 19>>, tensor<1x19x32xf32> -> tensor<64x32xf32, #size.extents<rows, 32>>
    return %0 : tensor<64x32xf32, #size.extents<rows, 32>>
  }
}

// -----

module attributes {heddle.symbols = [{name = "rows", minimum = 49, maximum = 64}]} {
  // Six or eight: their sums meet in memory.
  // CHECK-LABEL: func @many(
  // CHECK: scf.if
  // CHECK-NOT: scf.if
  // CHECK: vector.store
  // CHECK-NOT: scf.if
  // CHECK: scf.for
  // CHECK: vector.load
  // CHECK-NOT: scf.if
  // CHECK: return
  func.func @many(%x: tensor<64x19xf32, #size.extents<rows, 19>>, %w: tensor<1x19x32xf32>) -> tensor<64x32xf32, #size.extents<rows, 32>> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {extents = array<i64: 64, 32, 19>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"} : tensor<64x19xf32, #size.extents<rows, 19>>, tensor<1x19x32xf32> -> tensor<64x32xf32, #size.extents<rows, 32>>
    return %0 : tensor<64x32xf32, #size.extents<rows, 32>>
  }
}

// -----

module attributes {heddle.symbols = [{name = "images", minimum = 1, maximum = 4}, {name = "width", minimum = 4, maximum = 16, multiple = 4}]} {
  // Columns are in tiles of 8, and of 4 where these are left over.
  // CHECK-LABEL: func @depthwise(
  // CHECK: scf.if
  // CHECK-NOT: scf.if
  // CHECK: return
  func.func @depthwise(%x: tensor<4x9x16x32xf32, #size.extents<images, 9, width, 32>>, %w: tensor<3x3x1x32xf32>) -> tensor<4x9x16x32xf32, #size.extents<images, 9, width, 32>> attributes {kernel.entry} {
    %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, groups = 32 : i64}
      : tensor<4x9x16x32xf32, #size.extents<images, 9, width, 32>>, tensor<3x3x1x32xf32> -> tensor<4x9x16x32xf32, #size.extents<images, 9, width, 32>>
    return %0 : tensor<4x9x16x32xf32, #size.extents<images, 9, width, 32>>
  }
}
