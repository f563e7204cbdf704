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

// -----

func.func @pairs_of_f32(%a: tensor<4x8xf32>, %b: tensor<1x4x32x2xf32>) -> tensor<4x32xf32> attributes {kernel.entry} {
  // expected-error @below {{reads pairs of rows, and is no sum of bf16 times bf16 whose terms follow each other}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<4x8xf32>, tensor<1x4x32x2xf32> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

func.func @pairs_apart(%a: tensor<8x4xbf16>, %b: tensor<1x4x32x2xbf16>) -> tensor<4x32xf32> attributes {kernel.entry} {
  // expected-error @below {{reads pairs of rows, and is no sum of bf16 times bf16 whose terms follow each other}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/2 n%32 k%2"
  } : tensor<8x4xbf16>, tensor<1x4x32x2xbf16> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

func.func @quads_of_signs(%a: tensor<4x8xi8>, %b: tensor<1x2x32x4xi8>) -> tensor<4x32xi32> attributes {kernel.entry} {
  // expected-error @below {{reads quads of rows, and is no sum of ui8 times i8 whose terms follow each other}}
  %0 = kernel.contract %a, %b {
    extents = array<i64: 4, 32, 8>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k/4 n%32 k%4"
  } : tensor<4x8xi8>, tensor<1x2x32x4xi8> -> tensor<4x32xi32>
  return %0 : tensor<4x32xi32>
}

// -----

func.func @pairs_of_channels(%x: tensor<1x5x4xf32>, %w: tensor<1x1x3x2x32x2xf32>) -> tensor<1x5x8xf32> attributes {kernel.entry} {
  // expected-error @below {{reads pairs of channels, and is no sum of bf16 times bf16 over images of known sizes, whose channels are a multiple of 2}}
  %0 = kernel.convolution %x, %w {strides = array<i64: 1>, padding = array<i64: 1, 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>,
    groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i/2 o%32 i%2"} : tensor<1x5x4xf32>, tensor<1x1x3x2x32x2xf32> -> tensor<1x5x8xf32>
  return %0 : tensor<1x5x8xf32>
}

// -----

// The integers lie as the model has them.
func.func @plain_integers(%a: tensor<4x64xf32>, %w: tensor<64x32xi8>, %s: tensor<1x2x32xf32>) -> tensor<4x32xf32> attributes {kernel.entry} {
  %units = prec.unpack %s "* k n -> * n/32 k n%32" : tensor<1x2x32xf32> -> tensor<2x32xf32>
  %zero = arith.constant dense<0> : tensor<2x32xi8>
  %real = prec.dequantize %w, %units, %zero axis 0 block 32 : tensor<64x32xi8>, tensor<2x32xf32>, tensor<2x32xi8> -> tensor<64x32xf32>
  // expected-error @below {{multiplies what is dequantized of no matrix that kernels for processors read}}
  %0 = kernel.contract %a, %real {
    extents = array<i64: 4, 32, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<4x64xf32>, tensor<64x32xf32> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// -----

func.func @split_words(%a: tensor<4x64xf32>, %w: tensor<1x8x32x1xi32>, %s: tensor<1x6x32xf32>) -> tensor<4x32xf32> attributes {kernel.entry} {
  %numbers = prec.unpack %w "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<1x8x32x1xi32> -> tensor<64x32xi4>
  %units = prec.unpack %s "* k n -> * n/32 k n%32" : tensor<1x6x32xf32> -> tensor<6x32xf32>
  %zero = arith.constant dense<0> : tensor<6x32xi4>
  %real = prec.dequantize %numbers, %units, %zero axis 0 block 12 : tensor<64x32xi4>, tensor<6x32xf32>, tensor<6x32xi4> -> tensor<64x32xf32>
  // expected-error @below {{reads words of 8 numbers, which do not fill blocks of 12}}
  %0 = kernel.contract %a, %real {
    extents = array<i64: 4, 32, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<4x64xf32>, tensor<64x32xf32> -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
