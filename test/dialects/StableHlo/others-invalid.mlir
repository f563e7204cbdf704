// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_broadcast(%x: tensor<3xf32>, %s: tensor<3xi64>) {
  // expected-error @below {{output_dimensions of type 'tensor<3xi64>' for 2 dimensions}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<3xi64>) -> tensor<?x3xf32>
  return
}

// -----

func.func @dynamic_reshape(%x: tensor<3xf32>, %s: tensor<1xi64>) {
  // expected-error @below {{output_shape of type 'tensor<1xi64>' for 2 dimensions}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3xf32>, tensor<1xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_pad(%x: tensor<3xf32>, %z: tensor<f64>, %s: tensor<1xi64>) {
  // expected-error @below {{padding_value of type 'tensor<f64>' is not a scalar of the operand's type 'tensor<3xf32>'}}
  %0 = stablehlo.dynamic_pad %x, %z, %s, %s, %s : (tensor<3xf32>, tensor<f64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf32>
  return
}

// -----

func.func @rng_state(%state: tensor<5xui64>) {
  // expected-error @below {{a state of 320 bits does not fit PHILOX}}
  %0:2 = stablehlo.rng_bit_generator %state, algorithm = PHILOX : (tensor<5xui64>) -> (tensor<5xui64>, tensor<4xui32>)
  return
}

// -----

func.func @replica_groups(%x: tensor<4x2xf32>) {
  // expected-error @below {{replica_groups holds 1 twice}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @all_gather_result(%x: tensor<4x2xf32>) {
  // expected-error @below {{result 'tensor<5x4xf32>' is not several operands 'tensor<4x2xf32>' along dimension 1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @split_count(%x: tensor<5x2xf32>) {
  // expected-error @below {{split_count 2 does not divide dimension 0 of 'tensor<5x2xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<5x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @infeed(%t: !stablehlo.token) {
  // expected-error @below {{must end its results with a token}}
  %0 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> tensor<3xf32>
  return
}

// -----

func.func @real_dynamic_slice(%x: tensor<3xf32>, %s: tensor<2xi32>) {
  // expected-error @below {{bounds of type 'tensor<2xi32>' for an operand of rank 1}}
  %0 = stablehlo.real_dynamic_slice %x, %s, %s, %s : (tensor<3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?xf32>
  return
}
