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

// Integers narrower than a byte are computed with in bytes; kernels that look at elements by themselves take none.
func.func @main(%x: tensor<4x8xi4>, %y: tensor<8xui4>) -> (tensor<4x8xi4>, tensor<4xi8>) {
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.sort': integers of less than a byte; convert them to i8}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<i4>, %b: tensor<i4>):
    %less = stablehlo.compare LT, %a, %b : (tensor<i4>, tensor<i4>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  }) {dimension = 1 : i64} : (tensor<4x8xi4>) -> tensor<4x8xi4>
  %1 = stablehlo.reshape %y : (tensor<8xui4>) -> tensor<4x2xui4>
  // expected-error @below {{[HDL-0501] no kernel for 'stablehlo.bitcast_convert': elements of less than a byte are stored one to a byte}}
  %2 = stablehlo.bitcast_convert %1 : (tensor<4x2xui4>) -> tensor<4xi8>
  return %0, %2 : tensor<4x8xi4>, tensor<4xi8>
}

// -----

// expected-error @below {{[HDL-0401] argument 0 of type 'tensor<4x8xi3>'}}
func.func @main(%x: tensor<4x8xi3>) -> tensor<4x8xi3> {
  return %x : tensor<4x8xi3>
}
