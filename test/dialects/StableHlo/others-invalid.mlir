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

// -----

func.func @all_gather_c4(%x: tensor<4x2xf32>) {
  // expected-error @below {{replica_groups holds -3, which is no process}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, -3]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @all_to_all_c5(%x: tensor<4x2xf32>) {
  // expected-error @below {{replica_groups holds 1 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @all_to_all_c8(%x: tensor<4x2xf32>) {
  // expected-error @below {{split_count 2 for replica_groups of 4 processes}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @collective_broadcast_c1(%x: tensor<4x2xf32>) {
  // expected-error @below {{replica_groups holds 0 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @collective_permute_c1(%x: tensor<4x2xf32>) {
  // expected-error @below {{source_target_pairs must be a matrix of pairs}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @collective_permute_c2(%x: tensor<4x2xf32>) {
  // expected-error @below {{source_target_pairs has the source 0 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @collective_permute_c3(%x: tensor<4x2xf32>) {
  // expected-error @below {{source_target_pairs has the target 1 twice}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @collective_permute_c4(%x: tensor<4x2xf32>) {
  // expected-error @below {{source_target_pairs holds -1, which is no process}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @rng_c2(%a: tensor<i32>, %shape: tensor<1xi64>) {
  // expected-error @below {{a normal distribution of 'i32'; it needs floats}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.rng %a, %a, %shape, distribution = NORMAL : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<?xi32>
  return
}

// -----

func.func @infeed_layouts(%token: !stablehlo.token) {
  // expected-error @below {{has 2 layouts for 1 tensors}}
  %0:2 = "stablehlo.infeed"(%token) {layout = [[0, 1], [0]]} : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)
  return
}
