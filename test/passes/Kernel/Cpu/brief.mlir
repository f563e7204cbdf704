// RUN: heddle-opt %s --heddle-lower-kernels --split-input-file | FileCheck %s

// What takes microseconds as a whole is brief, whatever its grid: rows of a sort, and products of matrices.

module attributes {heddle.target = "x86-64-v4"} {
  // CHECK: func.func @short_rows({{.*}}kernel.brief, kernel.chunk = 1 : i64
  func.func @short_rows(%k: tensor<4x64xf32>) -> tensor<4x64xf32> attributes {kernel.entry} {
    %0 = kernel.sort %k {dimension = 1 : i64} : (tensor<4x64xf32>) -> tensor<4x64xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf olt, %a, %b : f32
      kernel.yield %c : i1
    }
    return %0 : tensor<4x64xf32>
  }

  // One claim, of milliseconds.
  // CHECK: func.func @long_row(
  // CHECK-NOT: kernel.brief
  // CHECK-SAME: kernel.tiles = 1 : i64
  func.func @long_row(%k: tensor<1x65536xf32>) -> tensor<1x65536xf32> attributes {kernel.entry} {
    %0 = kernel.sort %k {dimension = 1 : i64} : (tensor<1x65536xf32>) -> tensor<1x65536xf32> {
    ^bb0(%a: f32, %b: f32):
      %c = arith.cmpf olt, %a, %b : f32
      kernel.yield %c : i1
    }
    return %0 : tensor<1x65536xf32>
  }

  // CHECK: func.func @small_product({{.*}}kernel.brief
  func.func @small_product(%a: tensor<40x64xf32>, %b: tensor<1x64x32xf32>) -> tensor<40x32xf32> attributes {kernel.entry} {
    %0 = kernel.contract %a, %b {
      extents = array<i64: 40, 32, 64>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
    } : tensor<40x64xf32>, tensor<1x64x32xf32> -> tensor<40x32xf32>
    return %0 : tensor<40x32xf32>
  }

  // CHECK: func.func @product(
  // CHECK-NOT: kernel.brief
  // CHECK-SAME: kernel.tiles
  func.func @product(%a: tensor<40x640xf32>, %b: tensor<2x640x32xf32>) -> tensor<40x64xf32> attributes {kernel.entry} {
    %0 = kernel.contract %a, %b {
      extents = array<i64: 40, 64, 640>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
    } : tensor<40x640xf32>, tensor<2x640x32xf32> -> tensor<40x64xf32>
    return %0 : tensor<40x64xf32>
  }

  // CHECK: func.func @small_convolution({{.*}}kernel.brief
  func.func @small_convolution(%x: tensor<2x7x7x8xf32>, %w: tensor<1x1x3x3x8x32xf32>) -> tensor<2x7x7x32xf32> attributes {kernel.entry} {
    %0 = kernel.convolution %x, %w {
      strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
    } : tensor<2x7x7x8xf32>, tensor<1x1x3x3x8x32xf32> -> tensor<2x7x7x32xf32>
    return %0 : tensor<2x7x7x32xf32>
  }

  // CHECK: func.func @convolution(
  // CHECK-NOT: kernel.brief
  // CHECK-SAME: kernel.tiles
  func.func @convolution(%x: tensor<16x7x7x8xf32>, %w: tensor<1x1x3x3x8x32xf32>) -> tensor<16x7x7x32xf32> attributes {kernel.entry} {
    %0 = kernel.convolution %x, %w {
      strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>,
      rhs_dilation = array<i64: 1, 1>, groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
    } : tensor<16x7x7x8xf32>, tensor<1x1x3x3x8x32xf32> -> tensor<16x7x7x32xf32>
    return %0 : tensor<16x7x7x32xf32>
  }
}
