// Operations of computed shape, between devices, of random numbers, and older ones.
// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @dynamic
func.func @dynamic(%x: tensor<?x3xf32>, %s: tensor<2xi64>, %z: tensor<f32>, %i: tensor<2xi32>, %sizes: tensor<2xi32>) {
  // CHECK-NEXT: stablehlo.dynamic_broadcast_in_dim %{{.*}}, %{{.*}}, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  %0 = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [0, 1] {known_expanding_dimensions = array<i64: 0>} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<?x3xf32>
  // CHECK-NEXT: stablehlo.dynamic_iota %{{.*}}, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  %1 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<2xi64>) -> tensor<?x?xi32>
  // CHECK-NEXT: stablehlo.dynamic_pad %{{.*}} : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_pad %x, %z, %s, %s, %s : (tensor<?x3xf32>, tensor<f32>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.dynamic_reshape %{{.*}} : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  %3 = stablehlo.dynamic_reshape %x, %s : (tensor<?x3xf32>, tensor<2xi64>) -> tensor<3x?xf32>
  // CHECK-NEXT: "stablehlo.dynamic_gather"
  %4 = "stablehlo.dynamic_gather"(%x, %i, %sizes) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<?x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  return
}

// CHECK-LABEL: func.func @random
func.func @random(%a: tensor<f32>, %s: tensor<2xi64>, %state: tensor<2xui64>) {
  // CHECK-NEXT: stablehlo.rng %{{.*}}, %{{.*}}, %{{.*}}, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  %0 = stablehlo.rng %a, %a, %s, distribution = NORMAL : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.rng_bit_generator %{{.*}}, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  %1:2 = stablehlo.rng_bit_generator %state, algorithm = THREE_FRY : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  return
}

// CHECK-LABEL: func.func @devices
func.func @devices(%x: tensor<4x2xf32>, %t: !stablehlo.token) {
  // CHECK-NEXT: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<{{\[}}[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}>
  %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x4xf32>
  // CHECK-NEXT: "stablehlo.all_reduce"
  %1 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %9 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK: "stablehlo.reduce_scatter"
  %2 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %9 = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %9 : tensor<f32>
  }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
  // CHECK: "stablehlo.all_to_all"
  %3 = "stablehlo.all_to_all"(%x) <{concat_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x2xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: "stablehlo.collective_permute"
  %4 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: "stablehlo.collective_broadcast"
  %5 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: stablehlo.replica_id : tensor<ui32>
  %6 = stablehlo.replica_id : tensor<ui32>
  // CHECK-NEXT: stablehlo.partition_id : tensor<ui32>
  %7 = stablehlo.partition_id : tensor<ui32>
  // CHECK-NEXT: "stablehlo.infeed"(%{{.*}}) <{infeed_config = "a"}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  %8:2 = "stablehlo.infeed"(%t) <{infeed_config = "a"}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  // CHECK-NEXT: "stablehlo.outfeed"
  %10 = "stablehlo.outfeed"(%x, %t) : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: "stablehlo.send"(%{{.*}}) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>, is_host_transfer = true}>
  %11 = "stablehlo.send"(%x, %t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 2>, is_host_transfer = true}> : (tensor<4x2xf32>, !stablehlo.token) -> !stablehlo.token
  // CHECK-NEXT: "stablehlo.recv"
  %12:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
  return
}

// CHECK-LABEL: func.func @older
func.func @older(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %n: tensor<i32>, %s: tensor<2xi32>, %i: tensor<5xi32>) {
  // CHECK-NEXT: stablehlo.broadcast %{{.*}}, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  %0 = stablehlo.broadcast %a, sizes = [4] : (tensor<2x3xf32>) -> tensor<4x2x3xf32>
  // CHECK-NEXT: stablehlo.create_token : !stablehlo.token
  %1 = stablehlo.create_token : !stablehlo.token
  // CHECK-NEXT: stablehlo.dot %{{.*}}, %{{.*}}, precision = [HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = stablehlo.dot %a, %b, precision = [HIGH, HIGH] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: stablehlo.einsum %{{.*}}, %{{.*}}, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %3 = stablehlo.einsum %a, %b, config = "ij,jk->ik" : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  // CHECK-NEXT: stablehlo.unary_einsum %{{.*}}, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
  %4 = stablehlo.unary_einsum %a, config = "ij->i" : (tensor<2x3xf32>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.real_dynamic_slice %{{.*}} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %5 = stablehlo.real_dynamic_slice %a, %s, %s, %s : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  // CHECK-NEXT: stablehlo.set_dimension_size %{{.*}}, %{{.*}}, dim = 0 : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  %6 = stablehlo.set_dimension_size %a, %n, dim = 0 : (tensor<2x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<2, ?>>
  // CHECK-NEXT: "stablehlo.torch_index_select"(%{{.*}}) <{batch_dims = 0 : i64, dim = 0 : i64}>
  %7 = "stablehlo.torch_index_select"(%a, %i) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x3xf32>, tensor<5xi32>) -> tensor<5x3xf32>
  return
}
