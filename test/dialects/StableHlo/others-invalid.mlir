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
  // expected-error @below {{result 'tensor<5x4xf32>' is not 2 operands 'tensor<4x2xf32>' along dimension 1}}
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

// -----

func.func @all_gather_count(%x: tensor<2xf32>) {
  // expected-error @below {{result 'tensor<8xf32>' is not 2 operands 'tensor<2xf32>' along dimension 0}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_gather_ids(%x: tensor<2xf32>) {
  // expected-error @below {{has use_global_device_ids, which needs a channel_handle with a positive handle, found 0}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

// Groups of replicas with a channel hold all of their partitions, however many there are.
func.func @all_gather_partitions(%x: tensor<2xf32>) {
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @all_reduce_ids(%x: tensor<f32>) {
  // expected-error @below {{has use_global_device_ids, which needs a channel_handle with a positive handle, found 0}}
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 0, type = 0>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_scatter_ids(%x: tensor<4xf32>) {
  // expected-error @below {{has use_global_device_ids, which needs a channel_handle with a positive handle, found 0}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_scatter_count(%x: tensor<4xf32>) {
  // expected-error @below {{result 'tensor<1xf32>' is not one of 2 parts of the operand 'tensor<4xf32>' along dimension 0}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @broadcast_roots(%x: tensor<4xf32>, %r: tensor<2xi32>) {
  // expected-error @below {{has 1 operands with roots that are computed; their roots must be a vector of as many i32, found 'tensor<2xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_broadcast"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> : (tensor<4xf32>, tensor<2xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @recv_channel(%t: !stablehlo.token) {
  // expected-error @below {{has channel type 1 (DEVICE_TO_DEVICE), a transfer with the host wants 3 (HOST_TO_DEVICE)}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @recv_other_channel(%t: !stablehlo.token) {
  // expected-error @below {{has channel type 9 (none), a transfer with another device wants 1 (DEVICE_TO_DEVICE)}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 9>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @recv_pairs(%t: !stablehlo.token) {
  // expected-error @below {{source_target_pairs has the source 0 twice}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  return
}

// -----

func.func @dynamic_gather_sizes(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>, %s: tensor<3xi32>) {
  // expected-error @below {{slice_sizes of type 'tensor<3xi32>' for 2 dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<3xi32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @dynamic_gather_extent(%x: tensor<3x4xf32>, %i: tensor<2x1xi32>) {
  %s = stablehlo.constant dense<[1, 5]> : tensor<2xi32>
  // expected-error @below {{slice_sizes}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<3x4xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  return
}

// -----

func.func @dynamic_pad_interior(%x: tensor<4xf32>, %z: tensor<f32>, %s: tensor<1xi32>) {
  %i = stablehlo.constant dense<-1> : tensor<1xi32>
  // expected-error @below {{interior_padding is negative: -1}}
  %0 = stablehlo.dynamic_pad %x, %z, %s, %s, %i : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  return
}

// -----

func.func @rng_types(%a: tensor<f32>, %b: tensor<f64>) {
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  // expected-error @below {{operands have different element types: 'tensor<f32>' and 'tensor<f64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.rng %a, %b, %s, distribution = UNIFORM : (tensor<f32>, tensor<f64>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @send_channel(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{has channel type 3 (HOST_TO_DEVICE), a transfer with the host wants 2 (DEVICE_TO_HOST)}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_other_channel(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{has channel type 2 (DEVICE_TO_HOST), a transfer with another device wants 1 (DEVICE_TO_DEVICE)}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c1(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{source_target_pairs must be a matrix of pairs}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c2(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{source_target_pairs has the source 0 twice}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [0, 2]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c3(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{source_target_pairs has the target 1 twice}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [2, 1]]> : tensor<2x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @send_c4(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // expected-error @below {{source_target_pairs holds -1, which is no process}}
  %0 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, -1]]> : tensor<1x2xi64>}> : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return
}

// -----

func.func @recv_results(%t: !stablehlo.token) {
  // expected-error @below {{result #0 is '!stablehlo.token', a tensor is wanted before the last one}}
  %0:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>}> : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @infeed_c2(%t: !stablehlo.token) {
  // expected-error @below {{result #0 is '!stablehlo.token', a tensor is wanted before the last one}}
  %0:2 = "stablehlo.infeed"(%t) : (!stablehlo.token) -> (!stablehlo.token, !stablehlo.token)
  return
}

// -----

func.func @infeed_order(%t: !stablehlo.token) {
  // expected-error @below {{has the layout [0, 0], which does not order the dimensions of 'tensor<4x2xf32>'}}
  %0:2 = "stablehlo.infeed"(%t) {layout = [[0, 0]]} : (!stablehlo.token) -> (tensor<4x2xf32>, !stablehlo.token)
  return
}

// -----

// expected-error @below {{a future of '!stablehlo.token'; tensors are wanted}}
func.func private @future() -> !stablehlo.future<!stablehlo.token>

// -----

func.func @async_c1(%x: tensor<4xf32>) {
  // expected-error @below {{body holds 3 operations; one and a return of its results are wanted}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    %1 = stablehlo.slice %y [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    %2 = stablehlo.slice %1 [0:1] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %2 : tensor<1xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<1xf32>>
  return
}

// -----

func.func @async_c2(%x: tensor<4xf32>) {
  // expected-error @below {{begins 'stablehlo.negate'; only collectives and slices run beside the program}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    %1 = stablehlo.negate %y : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

func.func @async_c3(%x: tensor<4xf32>) {
  // expected-error @below {{body takes arguments of other types than the operands have}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4xi32>):
    %1 = stablehlo.slice %y [0:2] : (tensor<4xi32>) -> tensor<2xi32>
    stablehlo.return %1 : tensor<2xi32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xi32>>
  return
}

// -----

func.func @async_c3_captured(%x: tensor<4xf32>, %z: tensor<4xf32>) {
  // expected-error @below {{does not pass its operands to 'stablehlo.slice' as they are}}
  %0 = "stablehlo.async_start"(%x) ({
    %1 = stablehlo.slice %z [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<2xf32>>
  return
}

// -----

func.func @async_c4(%x: tensor<4xf32>) {
  // expected-error @below {{gives '!stablehlo.future<tensor<4xf32>>' of results 'tensor<2xf32>'}}
  %0 = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<4xf32>):
    %1 = stablehlo.slice %y [0:2] : (tensor<4xf32>) -> tensor<2xf32>
    stablehlo.return %1 : tensor<2xf32>
  }) : (tensor<4xf32>) -> !stablehlo.future<tensor<4xf32>>
  return
}

// -----

func.func @async_done_c1(%f: !stablehlo.future<tensor<4xf32>>) {
  // expected-error @below {{has results 'tensor<4xi32>' of '!stablehlo.future<tensor<4xf32>>'}}
  %0 = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<4xf32>>) -> tensor<4xi32>
  return
}

// -----

func.func @all_gather_processes(%x: tensor<2xf32>) {
  // expected-error @below {{replica_groups holds 2, its 2 processes must be 0 to 1}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 2]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_gather_alike(%x: tensor<2xf32>) {
  // expected-error @below {{replica_groups holds -1, which is no process}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @all_gather_elements(%x: tensor<2xf32>) {
  // expected-error @below {{result 'tensor<4xi32>' has other elements than the operand 'tensor<2xf32>'}}
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2xf32>) -> tensor<4xi32>
  return
}

// -----

// Groups of all_reduce may be filled up; its processes are all there are.
func.func @all_reduce_processes(%x: tensor<f32>) {
  %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  // expected-error @below {{replica_groups holds 3, its 3 processes must be 0 to 2}}
  %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1], [3, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @all_to_all_no_groups(%x: tensor<4xf32>) {
  // expected-error @below {{split_count 4 for replica_groups of 2 processes}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.all_to_all"(%x) <{split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, replica_groups = dense<0> : tensor<0x2xi64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_scatter_c9(%x: tensor<4xf32>) {
  // expected-error @below {{result 'tensor<2xf64>' of elements that combine to 'f32'}}
  %0 = "stablehlo.reduce_scatter"(%x) <{scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>) -> tensor<2xf64>
  return
}

// -----

func.func @collective_reduce_ids(%x: tensor<f32>) {
  // expected-error @below {{has use_global_device_ids, which needs a channel_handle with a positive handle, found 0}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @collective_reduce_roots(%x: tensor<f32>, %r: tensor<2xi32>) {
  // expected-error @below {{has 1 operands with roots that are computed; their roots must be a vector of as many i32, found 'tensor<2xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.collective_reduce"(%x, %r) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>, tensor<2xi32>) -> tensor<f32>
  return
}

// -----

func.func @collective_reduce_c4(%x: tensor<f32>) {
  // expected-error @below {{region takes 3 arguments, 2 wanted}}
  %0 = "stablehlo.collective_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @rng_parameters(%a: tensor<1xf32>) {
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  // expected-error @below {{the distribution's parameters must be scalars, found 'tensor<1xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.rng %a, %a, %s, distribution = UNIFORM : (tensor<1xf32>, tensor<1xf32>, tensor<1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @dynamic_pad_c1(%x: tensor<3xf32>, %z: tensor<f32>, %s: tensor<1xi64>) {
  // expected-error @below {{changes the element type from 'f32' to 'f64'}}
  %0 = stablehlo.dynamic_pad %x, %z, %s, %s, %s : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<?xf64>
  return
}

// -----

func.func @dynamic_pad_c4(%x: tensor<3xf32>, %z: tensor<f32>) {
  %s = stablehlo.constant dense<1> : tensor<1xi64>
  // expected-error @below {{padding makes dimension 0 of 'tensor<3xf32>' 7 long, the result is 'tensor<6xf32>'}}
  %0 = stablehlo.dynamic_pad %x, %z, %s, %s, %s : (tensor<3xf32>, tensor<f32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<6xf32>
  return
}

// -----

func.func @dynamic_reshape_sizes(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<2> : tensor<2xi64>
  // expected-error @below {{output_shape gives dimension 0 the size 2, the result is 'tensor<1x4xf32>'}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<4xf32>, tensor<2xi64>) -> tensor<1x4xf32>
  return
}

// -----

func.func @dynamic_broadcast_sizes(%x: tensor<4xf32>) {
  %s = stablehlo.constant dense<[-1, 4]> : tensor<2xi64>
  // expected-error @below {{output_dimensions gives dimension 0 the size -1, the result is 'tensor<?x4xf32>'}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_reshape_c2(%x: tensor<5xf32>) {
  %s = stablehlo.constant dense<2> : tensor<2xi64>
  // expected-error @below {{turns 5 elements into 4}}
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<5xf32>, tensor<2xi64>) -> tensor<?x?xf32>
  return
}

// -----

func.func @dynamic_broadcast_c5(%x: tensor<3xf32>) {
  %s = stablehlo.constant dense<[2, 4]> : tensor<2xi64>
  // expected-error @below {{operand dimension 0 of size 3 does not fit result dimension 1 of size 4}}
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [1] : (tensor<3xf32>, tensor<2xi64>) -> tensor<2x?xf32>
  return
}

// -----

func.func @dynamic_iota_sizes() {
  %s = stablehlo.constant dense<3> : tensor<1xi64>
  // expected-error @below {{output_shape gives dimension 0 the size 3, the result is 'tensor<4xi32>'}}
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<4xi32>
  return
}
