// RUN: heddle-opt %s --heddle-fold-collectives --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @alone(
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
func.func @alone(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf64>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %gathered = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %reduced = "stablehlo.all_reduce"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<> : tensor<0x0xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %exchanged = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %broadcast = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // The region computes in more bits.
  %wide = "stablehlo.reduce_scatter"(%x) ({
  ^bb0(%a: tensor<f64>, %b: tensor<f64>):
    %s = stablehlo.add %a, %b : tensor<f64>
    stablehlo.return %s : tensor<f64>
  }) {scatter_dimension = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf64>
  %stays = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<0> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %nothing = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<> : tensor<0x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[WIDE:.*]] = stablehlo.convert %[[X]] : (tensor<2x4xf32>) -> tensor<2x4xf64>
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<0.0{{.*}}> : tensor<2x4xf32>
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[WIDE]], %[[X]], %[[ZERO]]
  return %gathered, %reduced, %exchanged, %broadcast, %wide, %stays, %nothing : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf64>, tensor<2x4xf32>, tensor<2x4xf32>
}

// The only root there can be.
// CHECK-LABEL: func.func @root(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK-NEXT: return %[[X]]
func.func @root(%x: tensor<2xf32>, %r: tensor<1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_broadcast"(%x, %r) {replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @reduced_at_root(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
// CHECK-NEXT: return %[[X]]
func.func @reduced_at_root(%x: tensor<2xf32>, %r: tensor<1xi32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_reduce"(%x, %r) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>, has_dynamic_root} : (tensor<2xf32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @ids
func.func @ids() -> (tensor<ui32>, tensor<ui32>) {
  // CHECK-COUNT-2: stablehlo.constant dense<0> : tensor<ui32>
  %r = stablehlo.replica_id : tensor<ui32>
  %p = stablehlo.partition_id : tensor<ui32>
  return %r, %p : tensor<ui32>, tensor<ui32>
}

// CHECK-LABEL: func.func @async(
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>
func.func @async(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %f = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<2xf32>):
    %all = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<2xf32>) -> tensor<2xf32>
    stablehlo.return %all : tensor<2xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<2xf32>>
  %g = "stablehlo.async_start"(%x) ({
  ^bb0(%y: tensor<2xf32>):
    %part = stablehlo.slice %y [1:2] : (tensor<2xf32>) -> tensor<1xf32>
    stablehlo.return %part : tensor<1xf32>
  }) : (tensor<2xf32>) -> !stablehlo.future<tensor<1xf32>>
  %r = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<2xf32>>) -> tensor<2xf32>
  %s = "stablehlo.async_done"(%g) : (!stablehlo.future<tensor<1xf32>>) -> tensor<1xf32>
  // CHECK: %[[S:.*]] = stablehlo.slice %[[X]] [1:2]
  // CHECK-NEXT: return %[[X]], %[[S]]
  return %r, %s : tensor<2xf32>, tensor<1xf32>
}

// -----

func.func @groups(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.all_gather' needs 4 devices: a group holds 2, the largest number is 3; one device is compiled for}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @mesh(%x: tensor<2xf32>) -> tensor<4xf32> {
  // expected-error @below {{has groups over a mesh whose axes are not written out}}
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "a">]>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

module attributes {mhlo.num_partitions = 8 : i32} {
  func.func @ids() -> tensor<ui32> {
    // expected-error @below {{'stablehlo.partition_id' asks which of 8 devices it runs on; one device is compiled for}}
    %p = stablehlo.partition_id : tensor<ui32>
    return %p : tensor<ui32>
  }
}

// -----

func.func @transfers(%x: tensor<2xf32>) -> tensor<2xf32> {
  %t = stablehlo.create_token : !stablehlo.token
  // expected-error @below {{takes values from the host while the program runs; make them arguments}}
  %i:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xf32>, !stablehlo.token)
  // expected-error @below {{gives values to the host while the program runs; make them results}}
  %o = "stablehlo.outfeed"(%i#0, %i#1) {outfeed_config = ""} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  // expected-error @below {{uses channel 5 to another device, which a compiled program does not have}}
  %s = "stablehlo.send"(%x, %o) {channel_handle = #stablehlo.channel_handle<handle = 5, type = 1>} : (tensor<2xf32>, !stablehlo.token) -> !stablehlo.token
  return %i#0 : tensor<2xf32>
}

// -----

// Where several ranks run the program, each has its own number, and takes from the others.
module attributes {heddle.ranks = 2 : i32, mhlo.num_partitions = 2 : i32} {
  // CHECK-LABEL: func.func @ranks
  func.func @ranks(%x: tensor<4xf32>) -> (tensor<ui32>, tensor<ui32>, tensor<4xf32>) {
    // CHECK-DAG: %[[P:.*]] = stablehlo.partition_id
    // CHECK-DAG: %[[Z:.*]] = stablehlo.constant dense<0> : tensor<ui32>
    // CHECK-DAG: %[[G:.*]] = "stablehlo.collective_permute"
    // CHECK: return %[[P]], %[[Z]], %[[G]]
    %0 = stablehlo.partition_id : tensor<ui32>
    %1 = stablehlo.replica_id : tensor<ui32>
    %2 = "stablehlo.collective_permute"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4xf32>) -> tensor<4xf32>
    return %0, %1, %2 : tensor<ui32>, tensor<ui32>, tensor<4xf32>
  }
}
