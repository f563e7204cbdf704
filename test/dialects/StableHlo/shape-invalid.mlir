// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @iota() {
  // expected-error @below {{iota_dimension 2 is not a dimension of 'tensor<2x3xf32>'}}
  %0 = stablehlo.iota dim = 2 : tensor<2x3xf32>
  return
}

// -----

func.func @bitcast(%x: tensor<2x3xf32>) {
  // expected-error @below {{sizes of 'tensor<2x3xf32>' and 'tensor<2x3x3xi8>' do not agree}}
  %0 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3x3xi8>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<3xf32>) {
  // expected-error @below {{broadcast_dimensions has 2 entries for an operand of rank 1}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [0, 1] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c3(%x: tensor<3xf32>) {
  // expected-error @below {{broadcast_dimensions[0] = 2 is not a dimension of the result 'tensor<2x3xf32>'}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [2] : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c4(%x: tensor<3x3xf32>) {
  // expected-error @below {{broadcast_dimensions holds 1 twice}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 1] : (tensor<3x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c5(%x: tensor<4xf32>) {
  // expected-error @below {{operand dimension 0 of size 4 does not fit result dimension 1 of size 3}}
  %0 = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @concatenate_c2(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @below {{shapes of inputs differ outside dimension 0: 'tensor<2x3xf32>' and 'tensor<2x4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @pad_c3(%x: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error @below {{interior_padding[0] is negative: -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.pad %x, %z, low = [0], high = [0], interior = [-1] : (tensor<3xf32>, tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @pad_cuts_too_much(%x: tensor<3xf32>, %z: tensor<f32>) {
  // expected-error @below {{padding cuts more of dimension 0 than there is: size -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.pad %x, %z, low = [-4], high = [0], interior = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<0xf32>
  return
}

// -----

func.func @reshape(%x: tensor<3xf32>) {
  // expected-error @below {{turns 3 elements into 4}}
  %0 = stablehlo.reshape %x : (tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reverse_large(%x: tensor<3xf32>) {
  // expected-error @below {{9223372036854775807 is not a dimension of 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.reverse %x, dims = [9223372036854775807] : tensor<3xf32>
  return
}

// -----

func.func @reverse(%x: tensor<3xf32>) {
  // expected-error @below {{dimensions holds 0 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.reverse %x, dims = [0, 0] : tensor<3xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<3xf32>) {
  // expected-error @below {{range 1:4 of dimension 0 is not inside 'tensor<3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.slice %x [1:4] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c4(%x: tensor<3xf32>) {
  // expected-error @below {{stride of dimension 0 is not positive: 0}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.slice %x [0:3:0] : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @transpose(%x: tensor<2x3xf32>) {
  // expected-error @below {{permutation does not order the 2 dimensions of 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @wrong_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{inferred type(s) 'tensor<3x2xf32>' are incompatible with return type(s) of operation 'tensor<2x3xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// expected-error @below {{bounds of 1 dimensions on a tensor of 2}}
func.func @bounds_rank(%x: tensor<?x3xf32, #stablehlo.bounds<8>>) {
  return
}

// -----

// expected-error @below {{dimension of the fixed size 3 has the bound 4}}
func.func @bounds_of_fixed(%x: tensor<?x3xf32, #stablehlo.bounds<8, 4>>) {
  return
}

// -----

func.func @slice_bound(%a: tensor<?xf32, #stablehlo.bounds<4>>) {
  // expected-error @below {{range 0:5 of dimension 0 is not inside 'tensor<?xf32, #stablehlo.bounds<4>>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.slice %a [0:5] : (tensor<?xf32, #stablehlo.bounds<4>>) -> tensor<5xf32>
  return
}

// -----

func.func @pad_bound(%a: tensor<?xf32, #stablehlo.bounds<4>>, %z: tensor<f32>) {
  // expected-error @below {{padding cuts more of dimension 0 than there is: size -1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.pad %a, %z, low = [-5], high = [0], interior = [0] : (tensor<?xf32, #stablehlo.bounds<4>>, tensor<f32>) -> tensor<?xf32>
  return
}
