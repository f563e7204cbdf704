// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @name(%a: tensor<4x4xf32>) {
  // expected-error @below {{"choleski": there is no routine 'choleski'; there are: cholesky, triangular_solve, fft, qr, householder_product, lu, eigh, eig, schur, hessenberg, tridiagonal, tridiagonal_solve, svd}}
  %0 = kernel.routine "choleski"(%a) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @shape(%a: tensor<4x5xf32>) {
  // expected-error @below {{"cholesky": operand 0 of type tensor<4x5xf32> has extent 5 in dimension 1, wanted 4}}
  %0 = kernel.routine "cholesky"(%a) : (tensor<4x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @rank(%a: tensor<4xf32>) {
  // expected-error @below {{"cholesky": operand 0 of type tensor<4xf32> has less than 2 dimensions}}
  %0 = kernel.routine "cholesky"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @batch(%a: tensor<2x4x4xf32>) {
  // expected-error @below {{"cholesky": result 0 of type tensor<3x4x4xf32> has other batch dimensions than operand 0}}
  %0 = kernel.routine "cholesky"(%a) : (tensor<2x4x4xf32>) -> tensor<3x4x4xf32>
  return
}

// -----

func.func @results(%re: tensor<4x4xf32>, %im: tensor<4x4xf32>) {
  // expected-error @below {{"cholesky": has 1 results, wanted 2}}
  %0 = kernel.routine "cholesky"(%re, %im) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @element(%a: tensor<4x4xi32>) {
  // expected-error @below {{works on f32 and f64, not on 'i32'}}
  %0 = kernel.routine "cholesky"(%a) : (tensor<4x4xi32>) -> tensor<4x4xi32>
  return
}

// -----

func.func @unknown_parameter(%a: tensor<4x4xf32>) {
  // expected-error @below {{"cholesky": parameter 'upper' is unknown; there are: lower}}
  %0 = kernel.routine "cholesky"(%a) {parameters = {upper = true}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @missing_parameter(%a: tensor<4x4xf32>) {
  // expected-error @below {{"triangular_solve": parameter 'left_side' is missing}}
  %0 = kernel.routine "triangular_solve"(%a, %a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @length(%a: tensor<4x4xf32>) {
  // expected-error @below {{"fft": has tensors that do not fit its lengths}}
  %0:2 = kernel.routine "fft"(%a, %a) {parameters = {fft_type = "FFT", fft_length = array<i64: 5>}} : (tensor<4x4xf32>, tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  return
}
