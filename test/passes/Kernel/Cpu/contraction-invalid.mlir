// RUN: heddle-opt --heddle-lower-kernels=target=x86-64-v3 --split-input-file --verify-diagnostics %s

func.func @reduces(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>) -> tensor<4xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x8xf32>, tensor<1x8x32xf32> -> tensor<4x32xf32>
  %1 = tensor.empty() : tensor<4xf32>
  // expected-error @below {{reduces, and cannot be an epilogue}}
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<4x32xf32>) outs(%1 : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    %r = arith.addf %x, %o : f32
    linalg.yield %r : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @repeats(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>) -> tensor<3x4x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x8xf32>, tensor<1x8x32xf32> -> tensor<4x32xf32>
  %1 = tensor.empty() : tensor<3x4x32xf32>
  // expected-error @below {{repeats the contraction's result}}
  %2 = linalg.generic {indexing_maps = [affine_map<(c, m, n) -> (m, n)>, affine_map<(c, m, n) -> (c, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%0 : tensor<4x32xf32>) outs(%1 : tensor<3x4x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<3x4x32xf32>
  return %2 : tensor<3x4x32xf32>
}

// -----

func.func @part(%a: tensor<4x8xf32>, %b: tensor<1x8x32xf32>) -> tensor<2x32xf32> attributes {kernel.entry} {
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<4x8xf32>, tensor<1x8x32xf32> -> tensor<4x32xf32>
  %1 = tensor.empty() : tensor<2x32xf32>
  // expected-error @below {{reads a part of the contraction's result}}
  %2 = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m + 1, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<4x32xf32>) outs(%1 : tensor<2x32xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<2x32xf32>
  return %2 : tensor<2x32xf32>
}

// -----

func.func @sums(%a: tensor<4x8xbf16>, %b: tensor<8x32xbf16>) -> tensor<4x32xbf16> attributes {kernel.entry} {
  // expected-error @below {{asks for other sums than kernels for processors give}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = f32
  } : tensor<4x8xbf16>, tensor<8x32xbf16> -> tensor<4x32xbf16>
  return %0 : tensor<4x32xbf16>
}

// -----

func.func @limit(%a: tensor<4x8xf32>, %b: tensor<8x32xf32>, %n: index) -> tensor<4x32xf32> attributes {kernel.entry} {
  %m = arith.addi %n, %n : index
  // expected-error @below {{has a limit that is neither a number of the launch nor a constant}}
  %0 = kernel.contract %a, %b limits(%m) {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 0>
  } : tensor<4x8xf32>, tensor<8x32xf32> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
