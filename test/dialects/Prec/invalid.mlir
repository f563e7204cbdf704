// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @shape(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2x4xi8> {
  // expected-error @below {{converts 'tensor<2x3xf32>' to 'tensor<2x4xi8>'}}
  %q = prec.quantize %x, %s, %z rounding nearest_even range -128 to 127 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x4xi8>
  return %q : tensor<2x4xi8>
}

// -----

func.func @axis(%x: tensor<2x3xi8>, %s: tensor<2xf32>, %z: tensor<2xi8>) -> tensor<2x3xf32> {
  // expected-error @below {{has scales along dimension 2 of 'tensor<2x3xi8>'}}
  %y = prec.dequantize %x, %s, %z axis 2 : tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scales(%x: tensor<2x3xi8>, %s: tensor<2xf32>, %z: tensor<2xi8>) -> tensor<2x3xf32> {
  // expected-error @below {{needs a scale and a zero point for each of 3 elements along dimension 1, not 'tensor<2xf32>'}}
  %y = prec.dequantize %x, %s, %z axis 1 : tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @scalars(%x: tensor<2x3xi8>, %s: tensor<2xf32>, %z: tensor<i8>) -> tensor<2x3xf32> {
  // expected-error @below {{without an axis needs scalars, not 'tensor<2xf32>'}}
  %y = prec.dequantize %x, %s, %z : tensor<2x3xi8>, tensor<2xf32>, tensor<i8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// -----

func.func @range(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2x3xi8> {
  // expected-error @below {{saturates to the range 0 to 255, which 'i8' cannot hold}}
  %q = prec.quantize %x, %s, %z rounding nearest_even range 0 to 255 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
  return %q : tensor<2x3xi8>
}

// -----

func.func @zero(%x: tensor<2xf32>, %s: tensor<f32>, %z: tensor<ui8>) -> tensor<2xi8> {
  // expected-error @below {{stores 'ui8', which 'tensor<2xi8>' does not hold}}
  %q = prec.quantize %x, %s, %z rounding nearest_even range 0 to 127 : tensor<2xf32>, tensor<f32>, tensor<ui8> -> tensor<2xi8>
  return %q : tensor<2xi8>
}

// -----

func.func @held(%q: tensor<2xi16>, %s: tensor<f32>, %z: tensor<i16>) -> tensor<2xf32> {
  // expected-error @below {{stores 'i4', which 'tensor<2xi16>' does not hold}}
  %y = prec.dequantize %q, %s, %z {storage_type = i4} : tensor<2xi16>, tensor<f32>, tensor<i16> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @real_scale(%q: tensor<2xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2xi32> {
  // expected-error @below {{gives 'i32' by a scale of 'f32'; integers come of integers alone}}
  %y = prec.dequantize %q, %s, %z : tensor<2xi8>, tensor<f32>, tensor<i8> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @integer_scale(%q: tensor<2xi8>, %s: tensor<i32>, %z: tensor<i8>) -> tensor<2xf32> {
  // expected-error @below {{gives 'f32' by a scale of 'i32'; integers come of integers alone}}
  %y = prec.dequantize %q, %s, %z : tensor<2xi8>, tensor<i32>, tensor<i8> -> tensor<2xf32>
  return %y : tensor<2xf32>
}

// -----

func.func @wide_factor(%q: tensor<2xi32>, %s: tensor<i32>, %z: tensor<i32>) -> tensor<2xi32> {
  // expected-error @below {{gives 'i32' of 'i32', whose differences it may not hold; 16 bits are the most}}
  %y = prec.dequantize %q, %s, %z : tensor<2xi32>, tensor<i32>, tensor<i32> -> tensor<2xi32>
  return %y : tensor<2xi32>
}

// -----

func.func @blocks(%q: tensor<5x3xi4>, %s: tensor<1x3xf32>, %z: tensor<2x3xi4>) -> tensor<5x3xf32> {
  // expected-error @below {{needs a scale and a zero point for each of [2, 3] blocks, not 'tensor<1x3xf32>'}}
  %y = prec.dequantize %q, %s, %z axis 0 block 4 : tensor<5x3xi4>, tensor<1x3xf32>, tensor<2x3xi4> -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

func.func @no_axis(%q: tensor<5x3xi4>, %s: tensor<2x3xf32>, %z: tensor<2x3xi4>) -> tensor<5x3xf32> {
  // expected-error @below {{has blocks of 4 elements, and no axis along which}}
  %y = prec.dequantize %q, %s, %z block 4 : tensor<5x3xi4>, tensor<2x3xf32>, tensor<2x3xi4> -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

func.func @no_elements(%q: tensor<5x3xi4>, %s: tensor<2x3xf32>, %z: tensor<2x3xi4>) -> tensor<5x3xf32> {
  // expected-error @below {{has blocks of 0 elements}}
  %y = prec.dequantize %q, %s, %z axis 0 block 0 : tensor<5x3xi4>, tensor<2x3xf32>, tensor<2x3xi4> -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// -----

func.func @unknown_size(%x: tensor<?x3xf32>, %s: tensor<?x3xf32>, %z: tensor<?x3xi4>) -> tensor<?x3xi4> {
  // expected-error @below {{has blocks of a tensor of unknown size, 'tensor<?x3xf32>'}}
  %q = prec.quantize %x, %s, %z axis 1 block 3 rounding nearest_even range -8 to 7 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xi4> -> tensor<?x3xi4>
  return %q : tensor<?x3xi4>
}

// -----

func.func @integers_of_blocks(%q: tensor<4x3xi8>, %s: tensor<2x3xi32>, %z: tensor<2x3xi8>) -> tensor<4x3xi32> {
  // expected-error @below {{gives 'i32' by blocks, which have scales of floats}}
  %y = prec.dequantize %q, %s, %z axis 0 block 2 : tensor<4x3xi8>, tensor<2x3xi32>, tensor<2x3xi8> -> tensor<4x3xi32>
  return %y : tensor<4x3xi32>
}

// -----

func.func @packing(%w: tensor<2x8x32x1xi32>) -> tensor<64x60xi4> {
  // expected-error @below {{reads an unknown packing 'k n'}}
  %q = prec.unpack %w "k n" : tensor<2x8x32x1xi32> -> tensor<64x60xi4>
  return %q : tensor<64x60xi4>
}

// -----

func.func @misfit(%w: tensor<2x8x32x1xi32>) -> tensor<64x60xi8> {
  // expected-error @below {{reads a packing '* k n -> * n/32 k/8 n%32 k%8 in u32' that does not fit 'tensor<64x60xi8>'}}
  %q = prec.unpack %w "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi32> -> tensor<64x60xi8>
  return %q : tensor<64x60xi8>
}

// -----

func.func @words(%w: tensor<2x8x32x1xi8>) -> tensor<64x60xi4> {
  // expected-error @below {{reads 'tensor<2x8x32x1xi8>', wanted elements of 32 bits of the shape [2, 8, 32, 1]}}
  %q = prec.unpack %w "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi8> -> tensor<64x60xi4>
  return %q : tensor<64x60xi4>
}

// -----

func.func @fits_nothing(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{fits 0 in blocks of 4 elements along dimension 0 of 'tensor<5x3xf32>'}}
  %s = prec.fit_scale %x axis 0 block 4 integer 0 : tensor<5x3xf32> -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// -----

func.func @fits_no_block(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{fits -8 in blocks of 0 elements along dimension 0 of 'tensor<5x3xf32>'}}
  %s = prec.fit_scale %x axis 0 block 0 integer -8 : tensor<5x3xf32> -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// -----

func.func @fits_no_dimension(%x: tensor<5x3xf32>) -> tensor<2x3xf32> {
  // expected-error @below {{fits -8 in blocks of 4 elements along dimension 2 of 'tensor<5x3xf32>'}}
  %s = prec.fit_scale %x axis 2 block 4 integer -8 : tensor<5x3xf32> -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// -----

func.func @fits_unknown_size(%x: tensor<?x3xf32>) -> tensor<?x1xf32> {
  // expected-error @below {{has blocks of a tensor of unknown size, 'tensor<?x3xf32>'}}
  %s = prec.fit_scale %x axis 1 block 4 integer -8 : tensor<?x3xf32> -> tensor<?x1xf32>
  return %s : tensor<?x1xf32>
}

// -----

func.func @fits_other_blocks(%x: tensor<5x3xf32>) -> tensor<1x3xf32> {
  // expected-error @below {{gives a scale for each of [2, 3] blocks, not 'tensor<1x3xf32>'}}
  %s = prec.fit_scale %x axis 0 block 4 integer -8 : tensor<5x3xf32> -> tensor<1x3xf32>
  return %s : tensor<1x3xf32>
}
