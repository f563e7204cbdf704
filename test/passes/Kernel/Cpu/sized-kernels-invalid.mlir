// RUN: heddle-opt %s --split-input-file --verify-diagnostics --heddle-lower-kernels=target=x86-64-v4
// What kernels over sizes refuse.

func.func @disagree(%a: tensor<8xf32, #size.extents<batch>>, %b: tensor<8xf32, #size.extents<sequence>>) -> tensor<8xf32, #size.extents<batch>>
    attributes {kernel.entry} {
  %e = tensor.empty() : tensor<8xf32, #size.extents<batch>>
  // expected-error @below {{has operands of different true extents along loop 0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32, #size.extents<batch>>, tensor<8xf32, #size.extents<sequence>>) outs(%e : tensor<8xf32, #size.extents<batch>>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #size.extents<batch>>
  return %0 : tensor<8xf32, #size.extents<batch>>
}

// -----

// What is read may be longer than the loops, what is written not.
func.func @longer(%a: tensor<8xf32, #size.extents<batch>>) -> tensor<8xf32> attributes {kernel.entry} {
  %e = tensor.empty() : tensor<8xf32>
  // expected-error @below {{has operands of different true extents along loop 0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32, #size.extents<batch>>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @unknown(%a: tensor<8x4xf32, #size.extents<batch, 4>>, %p: tensor<f32>) -> tensor<10x4xf32, #size.extents<batch + 2, 4>>
    attributes {kernel.entry} {
  %v = tensor.extract %p[] : tensor<f32>
  // expected-error @below {{has no kernel over extents that calls choose, as in 'tensor<8x4xf32, #size.extents<batch, 4>>'}}
  %0 = kernel.pad %a, %v {low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>}
      : tensor<8x4xf32, #size.extents<batch, 4>>, f32 -> tensor<10x4xf32, #size.extents<batch + 2, 4>>
  return %0 : tensor<10x4xf32, #size.extents<batch + 2, 4>>
}

// -----

// expected-error @below {{kernel.tile_count wants an expression of sizes, on a function}}
func.func private @count() attributes {kernel.tile_count = 3}

// -----

// expected-error @below {{kernel.size_arguments wants expressions of sizes, on a function}}
func.func private @sizes() attributes {kernel.size_arguments = 3}

// -----

func.func @limited(%a: tensor<9x4xf32, #size.extents<rows, 4>>, %b: tensor<5x4xf32>, %n: index) -> tensor<9x5xf32, #size.extents<rows, 5>>
    attributes {kernel.entry} {
  // expected-error @below {{has both limits and true extents}}
  %0 = kernel.contract %a, %b limits(%n) {
    extents = array<i64: 9, 5, 4>, limited = array<i64: 0>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>,
      affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<9x4xf32, #size.extents<rows, 4>>, tensor<5x4xf32> -> tensor<9x5xf32, #size.extents<rows, 5>>
  return %0 : tensor<9x5xf32, #size.extents<rows, 5>>
}

// -----

func.func @untold(%a: tensor<9x4xf32, #size.extents<rows, 4>>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> attributes {kernel.entry} {
  // expected-error @below {{has an operand of 'tensor<9x4xf32, #size.extents<rows, 4>>', which does not tell how far loop 3 runs}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 3, 5, 4, 2>, indexing_maps = [affine_map<(m, n, k, j) -> (m * 2 + j, k)>,
      affine_map<(m, n, k, j) -> (k, n)>, affine_map<(m, n, k, j) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction", "reduction"]
  } : tensor<9x4xf32, #size.extents<rows, 4>>, tensor<4x5xf32> -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

func.func @packed(%a: tensor<9x4xf32, #size.extents<9, depth>>, %b: tensor<1x4x32xf32>) -> tensor<9x5xf32> attributes {kernel.entry} {
  // expected-error @below {{has packed columns of which a call says how many there are}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 9, 5, 4>, indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>,
      affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<9x4xf32, #size.extents<9, depth>>, tensor<1x4x32xf32> -> tensor<9x5xf32>
  return %0 : tensor<9x5xf32>
}

// -----

func.func @depth(%q: tensor<2x9x8xf32, #size.extents<2, 9, depth>>, %v: tensor<2x9x8xf32>) -> tensor<2x9x8xf32> attributes {kernel.entry} {
  // expected-error @below {{has heads of a depth that calls choose}}
  %0 = kernel.attention %q, %q, %v {
    extents = array<i64: 2, 9, 9, 8, 8>, indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
      affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b, m, e)>], scale = 1.0 : f32
  } : tensor<2x9x8xf32, #size.extents<2, 9, depth>>, tensor<2x9x8xf32, #size.extents<2, 9, depth>>, tensor<2x9x8xf32> -> tensor<2x9x8xf32>
  return %0 : tensor<2x9x8xf32>
}

// -----

func.func @limitedRows(%q: tensor<2x9x8xf32, #size.extents<batch, 9, 8>>, %n: index) -> tensor<2x9x8xf32, #size.extents<batch, 9, 8>>
    attributes {kernel.entry} {
  // expected-error @below {{has both limits and true extents}}
  %0 = kernel.attention %q, %q, %q limits(%n) {
    extents = array<i64: 2, 9, 9, 8, 8>, limited = array<i64: 1>, indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>,
      affine_map<(b, m, n, d, e) -> (b, n, d)>, affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b, m, e)>], scale = 1.0 : f32
  } : tensor<2x9x8xf32, #size.extents<batch, 9, 8>>, tensor<2x9x8xf32, #size.extents<batch, 9, 8>>, tensor<2x9x8xf32, #size.extents<batch, 9, 8>>
    -> tensor<2x9x8xf32, #size.extents<batch, 9, 8>>
  return %0 : tensor<2x9x8xf32, #size.extents<batch, 9, 8>>
}

// -----

// expected-error @below {{kernel.scratch_bytes wants an expression of sizes, on a function}}
func.func private @scratch() attributes {kernel.scratch_bytes = 3}
