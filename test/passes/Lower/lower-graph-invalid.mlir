// RUN: heddle-opt %s --heddle-lower-graph --split-input-file --verify-diagnostics

func.func private @heddle.cholesky.f32_2x2(tensor<2x2xf32>) -> tensor<2x2xf32>
// Everything that cannot be lowered is reported, not just the first.
func.func @main(%x: tensor<i1>, %c: tensor<8xf32>, %a: tensor<2x2xf32>) -> (tensor<8xi1>, tensor<5xcomplex<f32>>, tensor<2x2xf32>) {
  %shape = stablehlo.constant dense<8> : tensor<1xi64>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.fft': type tensor<5xcomplex<f32>>}}
  %0 = stablehlo.fft %c, type = RFFT, length = [8] : (tensor<8xf32>) -> tensor<5xcomplex<f32>>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.rng': numbers of this type}}
  %1 = stablehlo.rng %x, %x, %shape, distribution = UNIFORM : (tensor<i1>, tensor<i1>, tensor<1xi64>) -> tensor<8xi1>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.composite': routine 'cholesky': parameter 'upper' is unknown; there are: lower}}
  %2 = stablehlo.composite "heddle.cholesky" %a {composite_attributes = {upper = true}, decomposition = @heddle.cholesky.f32_2x2} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1, %0, %2 : tensor<8xi1>, tensor<5xcomplex<f32>>, tensor<2x2xf32>
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

// Routines take no integers narrower than a byte.
func.func private @heddle.cholesky.i4_2x2(tensor<2x2xi4>) -> tensor<2x2xi4>
func.func @main(%x: tensor<2x2xi4>) -> tensor<2x2xi4> {
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.composite': integers of less than a byte; convert them to i8}}
  %0 = stablehlo.composite "heddle.cholesky" %x {decomposition = @heddle.cholesky.i4_2x2} : (tensor<2x2xi4>) -> tensor<2x2xi4>
  return %0 : tensor<2x2xi4>
}

// -----

// expected-error @below {{[HDL-0401] argument 0 of type 'tensor<4x8xi3>'}}
func.func @main(%x: tensor<4x8xi3>) -> tensor<4x8xi3> {
  return %x : tensor<4x8xi3>
}
