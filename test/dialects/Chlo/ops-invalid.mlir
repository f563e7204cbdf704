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

// -----

func.func @broadcast_shapes(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{cannot bring to one shape: 'tensor<2xf32>', 'tensor<3xf32>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_dimensions(%x: tensor<2xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{has broadcast_dimensions that do not bring together 'tensor<2xf32>', 'tensor<2x3xf32>'}}
  %0 = chlo.broadcast_add %x, %y {broadcast_dimensions = array<i64: 2>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_elements(%x: tensor<2xf32>, %y: tensor<2xf64>) {
  // expected-error @below {{has operands of different element types: 'tensor<2xf32>', 'tensor<2xf64>'}}
  %0 = chlo.broadcast_add %x, %y : (tensor<2xf32>, tensor<2xf64>) -> tensor<2xf64>
  return
}

// -----

func.func @broadcast_result(%p: tensor<i1>, %x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{gives 'tensor<3xf32>', which is not the shape of 'tensor<i1>', 'tensor<2xf32>', 'tensor<2xf32>'}}
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<i1>, tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_result_element(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{gives elements of type 'f64' from 'tensor<2xf32>', 'tensor<2xf32>'}}
  %0 = chlo.broadcast_multiply %x, %y : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @constant_like(%x: tensor<2xf32>) {
  // expected-error @below {{has the value 1 : i32, which is no element of type 'f32'}}
  %0 = "chlo.constant_like"(%x) {value = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
