// RUN: heddle-opt %s --heddle-lower-graph --split-input-file --verify-diagnostics

func.func private @heddle.cholesky.f32_2x2(tensor<2x2xf32>) -> tensor<2x2xf32>
// Everything that cannot be lowered is reported, not just the first.
func.func @main(%x: tensor<8xi1>, %c: tensor<8xf32>, %a: tensor<2x2xf32>) -> (tensor<ui8>, tensor<5xcomplex<f32>>, tensor<2x2xf32>) {
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.fft': type tensor<5xcomplex<f32>>}}
  %0 = stablehlo.fft %c, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.bitcast_convert': an i1 is stored as a byte, not as a bit}}
  %1 = stablehlo.bitcast_convert %x : (tensor<8xi1>) -> tensor<ui8>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.composite': routine 'cholesky': parameter 'upper' is unknown; there are: lower}}
  %2 = stablehlo.composite "heddle.cholesky" %a {composite_attributes = {upper = true}, decomposition = @heddle.cholesky.f32_2x2} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %0, %2 : tensor<ui8>, tensor<5xcomplex<f32>>, tensor<2x2xf32>
}

// -----

func.func @main(%x: tensor<1xf32>) -> tensor<4398046511104x4194304xf32> {
  // expected-error @below {{[HDL-0603] 'stablehlo.broadcast_in_dim' has a tensor of type 'tensor<4398046511104x4194304xf32>'}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<1xf32>) -> tensor<4398046511104x4194304xf32>
  return %0 : tensor<4398046511104x4194304xf32>
}

// -----

// expected-error @below {{[HDL-0603] argument 0 of type 'tensor<4398046511104x4194304xf32>'}}
func.func @main(%x: tensor<4398046511104x4194304xf32>) -> tensor<4398046511104x4194304xf32> {
  return %x : tensor<4398046511104x4194304xf32>
}

// -----

// Elements narrower than a byte would be read as bytes.
// expected-error @below {{[HDL-0401] argument 0 of type 'tensor<4x8xi4>'}}
func.func @main(%x: tensor<4x8xi4>) -> tensor<4x8xf32> {
  %0 = stablehlo.convert %x : (tensor<4x8xi4>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
