// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @contract_leaves(%x: tensor<7x100xf32>, %y: tensor<9x64xf32>) {
  // expected-error @below {{map of lhs affine_map<(d0, d1, d2) -> (d0, d2 + 64)> is not linear or leaves 'tensor<7x100xf32>' over the extents [7, 9, 64]}}
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 9, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k + 64)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<7x100xf32>, tensor<9x64xf32> -> tensor<7x9xf32>
  return
}

// -----

func.func @contract_packed_shape(%x: tensor<7x64xf32>, %y: tensor<1x64x32xf32>) {
  // expected-error @below {{packed rhs is 'tensor<1x64x32xf32>', wanted the shape [2, 64, 32]}}
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 33, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<7x64xf32>, tensor<1x64x32xf32> -> tensor<7x33xf32>
  return
}

// -----

func.func @contract_packed_order(%x: tensor<7x64xf32>, %y: tensor<2x64x32xf32>) {
  // expected-error @below {{map of a packed rhs names batch, n and k dimensions in this order}}
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 33, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<7x64xf32>, tensor<2x64x32xf32> -> tensor<7x33xf32>
  return
}

// -----

func.func @contract_iterator(%x: tensor<7x64xf32>, %y: tensor<9x64xf32>) {
  // expected-error @below {{dimension 1 is reduction, which the map of the result}}
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 9, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "reduction", "reduction"]
  } : tensor<7x64xf32>, tensor<9x64xf32> -> tensor<7x9xf32>
  return
}

// -----

func.func @contract_result(%x: tensor<7x64xf32>, %y: tensor<9x64xf32>) {
  // expected-error @below {{has extent 8 in dimension 1, the iteration 9}}
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 9, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<7x64xf32>, tensor<9x64xf32> -> tensor<7x8xf32>
  return
}

// -----

func.func @convolution_groups(%x: tensor<1x8x8x6xf32>, %w: tensor<3x3x3x8xf32>) {
  // expected-error @below {{4 groups do not divide 6 input and 8 output channels}}
  %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 4 : i64} : tensor<1x8x8x6xf32>, tensor<3x3x3x8xf32> -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @convolution_extent(%x: tensor<1x8x8x6xf32>, %w: tensor<3x3x6x8xf32>) {
  // expected-error @below {{result has extent 8 in dimension 2, wanted 6}}
  %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 1 : i64} : tensor<1x8x8x6xf32>, tensor<3x3x6x8xf32> -> tensor<1x8x8x8xf32>
  return
}

// -----

func.func @convolution_packing(%x: tensor<1x8x8x6xf32>, %w: tensor<2x1x3x3x3x32xf32>) {
  // expected-error @below {{packing '* i (g=1 o) -> g o/32 * i o%32' is not one for 2 groups}}
  %0 = kernel.convolution %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>,
    rhs_dilation = array<i64: 1, 1>, groups = 2 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"} : tensor<1x8x8x6xf32>, tensor<2x1x3x3x3x32xf32> -> tensor<1x6x6x8xf32>
  return
}

// -----

func.func @attention_map(%q: tensor<5x64xf32>, %k: tensor<9x64xf32>) {
  // expected-error @below {{map of key affine_map<(d0, d1, d2, d3) -> (d0, d2)> may not use d0}}
  %0 = kernel.attention %q, %k, %k {extents = array<i64: 5, 9, 64, 64>, scale = 1.0 : f32,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, e)>,
                     affine_map<(m, n, d, e) -> (m, e)>]} : tensor<5x64xf32>, tensor<9x64xf32>, tensor<9x64xf32> -> tensor<5x64xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<2x3xf32>, %b: tensor<2x5xf32>) {
  // expected-error @below {{inputs fill 8 of 9 points of dimension 1}}
  %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x9xf32>
  return
}

// -----

func.func @concatenate_sizes(%a: tensor<2x3xf32, #size.extents<2, n>>, %b: tensor<2x5xf32>) {
  // expected-error @below {{makes 'tensor<2x8xf32, #size.extents<2, n + 5>>', not 'tensor<2x8xf32, #size.extents<2, n + 4>>'}}
  %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32, #size.extents<2, n>>, tensor<2x5xf32>) -> tensor<2x8xf32, #size.extents<2, n + 4>>
  return
}

// -----

func.func @concatenate_rows(%a: tensor<2x3xf32, #size.extents<n, 3>>, %b: tensor<2x5xf32>) {
  // expected-error @below {{joins 'tensor<2x5xf32>' to 'tensor<2x8xf32, #size.extents<n, 8>>'}}
  %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32, #size.extents<n, 3>>, tensor<2x5xf32>) -> tensor<2x8xf32, #size.extents<n, 8>>
  return
}

// -----

func.func @pad(%x: tensor<2x3xf32>) {
  %zero = arith.constant 0.0 : f32
  // expected-error @below {{result has extent 7 in dimension 1, wanted 5}}
  %0 = kernel.pad %x, %zero {low = array<i64: 0, 1>, high = array<i64: 0, 1>, interior = array<i64: 0, 0>} : tensor<2x3xf32>, f32 -> tensor<2x7xf32>
  return
}

// -----

func.func @update(%x: tensor<4x8xf32>, %u: tensor<5x8xf32>, %i: tensor<i64>) {
  // expected-error @below {{has an update 'tensor<5x8xf32>' larger than 'tensor<4x8xf32>'}}
  %0 = kernel.dynamic_update_slice %x, %u, (%i, %i) : tensor<4x8xf32>, tensor<5x8xf32>, (tensor<i64>, tensor<i64>) -> tensor<4x8xf32>
  return
}

// -----

func.func @sort_first(%k: tensor<2x9xf32>) {
  // expected-error @below {{gives the first 10 of 9 elements}}
  %0 = kernel.sort %k {dimension = 1 : i64, first = 10 : i64} : (tensor<2x9xf32>) -> tensor<2x9xf32> {
  ^bb0(%a: f32, %b: f32):
    %less = arith.cmpf olt, %a, %b : f32
    kernel.yield %less : i1
  }
  return
}

// -----

func.func @sort(%k: tensor<2x9xf32>) {
  // expected-error @below {{wants a region from ('f32', 'f32') to i1}}
  %0 = kernel.sort %k {dimension = 1 : i64} : (tensor<2x9xf32>) -> tensor<2x9xf32> {
  ^bb0(%a: f32, %b: f32):
    kernel.yield %a : f32
  }
  return
}

// -----

func.func @top_k(%x: tensor<2x4xf32>) {
  // expected-error @below {{takes 'tensor<2x4xf32>' to}}
  %v, %i = kernel.top_k %x : tensor<2x4xf32> -> tensor<2x5xf32>, tensor<2x5xi32>
  return
}

// -----

func.func @main(%x: tensor<2x3xi8>, %w: tensor<3x4xi8>) -> tensor<2x4xi32> {
  // expected-error @below {{lhs_type 'ui16' is not held as 'i8'}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], lhs_type = ui16
  } : tensor<2x3xi8>, tensor<3x4xi8> -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<1x3x32xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has an unknown packing 'n -> n'}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "n -> n"
  } : tensor<2x3xf32>, tensor<1x3x32xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{sums in 'i32', which is no way to 'f32'}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = i32
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{sums in 'f32', which is no way to 'f32'}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = f32
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xi32> {
  // expected-error @below {{sums in 'f32', which is no way to 'i32'}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = f32
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xi32>
  return %0 : tensor<2x4xi32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has a precision that is not StableHLO's, one for each operand}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], precision = [#stablehlo<precision HIGH>]
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has a precision that is not StableHLO's, one for each operand}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], precision = ["HIGH", "HIGH"]
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has an algorithm that is not StableHLO's}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], algorithm = "tf32"
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has a precision beside an algorithm}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>], algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %n: tensor<i8>) -> tensor<2x4xf32> {
  // expected-error @below {{wants lengths of i32 or i64, not 'i8'}}
  %0 = kernel.attention %q, %k, %k lengths %n {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> ()>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> lengths tensor<i8> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %n: tensor<2xi32>) -> tensor<2x4xf32> {
  // expected-error @below {{map of lengths affine_map<(d0, d1, d2, d3) -> (d0)> may not use d0}}
  %0 = kernel.attention %q, %k, %k lengths %n {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> lengths tensor<2xi32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %s: tensor<i32>) -> tensor<2x4xf32> {
  // expected-error @below {{wants a sink of floats, not 'i32'}}
  %0 = kernel.attention %q, %k, %k sink %s {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> ()>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> sink tensor<i32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{wants a window of at least one key, not 0}}
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, window = 0 : i64
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{gives logarithms of sums as 'tensor<3xf32>', wanted f32 and the shape [2]}}
  %0, %1 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>, tensor<3xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{sums in 'f32', which is no way to 'f32'}}
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, accumulator = f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %a: index, %b: index) -> tensor<2x4xf32> {
  // expected-error @below {{has 2 limits for 1 limited dimensions}}
  %0 = kernel.contract %x, %w limits(%a, %b) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 0>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %a: index, %b: index) -> tensor<2x4xf32> {
  // expected-error @below {{limits [2, 0], which are not dimensions in ascending order}}
  %0 = kernel.contract %x, %w limits(%a, %b) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 2, 0>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %a: index, %b: index) -> tensor<2x4xf32> {
  // expected-error @below {{limits [1, 1], which are not dimensions in ascending order}}
  %0 = kernel.contract %x, %w limits(%a, %b) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 1, 1>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %a: index, %b: index) -> tensor<2x4xf32> {
  // expected-error @below {{limits [3], which are not dimensions in ascending order}}
  %0 = kernel.contract %x, %w limits(%a) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 3>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>, %a: index, %b: index) -> tensor<2x4xf32> {
  // expected-error @below {{limits [-1], which are not dimensions in ascending order}}
  %0 = kernel.contract %x, %w limits(%a) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: -1>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%n: tensor<i32>) {
  // expected-error @below {{has 1 values of symbols for}}
  %0 = kernel.size <a + b>(%n) : tensor<i32>
  return
}

// -----

func.func @main(%n: tensor<1xi32>) {
  // expected-error @below {{has a symbol in 'tensor<1xi32>'; an integer in a tensor of rank 0 is wanted}}
  %0 = kernel.size <a>(%n) : tensor<1xi32>
  return
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has a precision that is not StableHLO's, one for each operand}}
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, score_precision = [#stablehlo<precision HIGH>]
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has an algorithm that is not StableHLO's}}
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, value_algorithm = "tf32"
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{has a precision beside an algorithm}}
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, value_precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>], value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %a: index) -> tensor<2x4xf32> {
  // expected-error @below {{has 1 limits for 0 limited dimensions}}
  %0 = kernel.attention %q, %k, %k limits(%a) {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %a: index) -> tensor<2x4xf32> {
  // expected-error @below {{limits [1], wanted batch dimensions and m in ascending order}}
  %0 = kernel.attention %q, %k, %k limits(%a) {
    extents = array<i64: 2, 3, 4, 4>, limited = array<i64: 1>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
