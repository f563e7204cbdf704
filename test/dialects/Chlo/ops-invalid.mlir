// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @integers(%x: tensor<2xi32>) {
  // expected-error @below {{operand #0 must be ranked tensor of floating-point values}}
  %0 = chlo.erf %x : tensor<2xi32> -> tensor<2xi32>
  return
}

// -----

func.func @too_many(%x: tensor<3xf32>) {
  // expected-error @below {{takes 4 of 3 elements}}
  %values, %indices = chlo.top_k(%x, k = 4) : tensor<3xf32> -> (tensor<4xf32>, tensor<4xi32>)
  return
}

// -----

func.func @wrong_shape(%x: tensor<3xf32>) {
  // expected-error @below {{has results that are not 2 elements of each row of 'tensor<3xf32>'}}
  %values, %indices = chlo.top_k(%x, k = 2) : tensor<3xf32> -> (tensor<3xf32>, tensor<2xi32>)
  return
}

// -----

func.func @no_rows(%x: tensor<f32>) {
  // expected-error @below {{needs an operand with a last dimension}}
  %values, %indices = chlo.top_k(%x, k = 0) : tensor<f32> -> (tensor<f32>, tensor<i32>)
  return
}
