// What ranks take from each other stays an operation, with its groups written out; its own number is one, too.
// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

module attributes {heddle.ranks = 4 : i32} {
  // CHECK-LABEL: func @main
  func.func @main(%x: tensor<4x3xf32>, %p: tensor<4xui8>) -> (tensor<4x3xf32>, tensor<16x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<ui32>, tensor<4xui8>) {
    // Along an axis of a mesh.
    // CHECK: kernel.collective "all_reduce" by "sum"(%{{.*}}) groups [0, 2, 1, 3] of 2 type f32 channel 1
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 2>, #stablehlo.mesh_axis<name = "b", size = 2>]>, axes = [#stablehlo.axis_ref<name = "a">]>, use_global_device_ids}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
    // CHECK: kernel.collective "all_gather"(%{{.*}}) groups [3, 2, 1, 0] of 4 type f32
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[3, 2, 1, 0]]> : tensor<1x4xi64>, use_global_device_ids} : (tensor<4x3xf32>) -> tensor<16x3xf32>
    // CHECK: kernel.collective "reduce_scatter" by "maximum"(%{{.*}}) groups [0, 1, 2, 3] of 2 type f32
    %2 = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.maximum %b, %a : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {scatter_dimension = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids} : (tensor<4x3xf32>) -> tensor<2x3xf32>
    // CHECK: kernel.collective "permute"(%{{.*}}) groups [0, 1, 1, 2] of 2 type f32
    %3 = "stablehlo.collective_permute"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
    // CHECK: kernel.rank : tensor<i32>
    %4 = stablehlo.partition_id : tensor<ui32>
    // Where the sign of an integer counts it is kept.
    // CHECK: kernel.collective "all_reduce" by "minimum"(%{{.*}}) groups [0, 1, 2, 3] of 4 type ui8
    %5 = "stablehlo.all_reduce"(%p) ({
    ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
      %s = stablehlo.minimum %a, %b : tensor<ui8>
      stablehlo.return %s : tensor<ui8>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids} : (tensor<4xui8>) -> tensor<4xui8>
    return %0, %1, %2, %3, %4, %5 : tensor<4x3xf32>, tensor<16x3xf32>, tensor<2x3xf32>, tensor<4x3xf32>, tensor<ui32>, tensor<4xui8>
  }
}
