// RUN: heddle-opt %s --heddle-lower-graph --split-input-file --verify-diagnostics

module attributes {heddle.ranks = 2 : i32} {
  func.func @main(%x: tensor<4x2xf32>) -> (tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
    // expected-error @below {{what joins its elements is no sum, product, minimum, maximum, conjunction or disjunction}}
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %s = stablehlo.subtract %a, %b : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // expected-error @below {{it works along another dimension than the first}}
    %1 = "stablehlo.all_gather"(%x) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x2xf32>) -> tensor<4x4xf32>
    // expected-error @below {{it joins replicas; the program is partitioned}}
    %2 = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // expected-error @below {{its groups do not hold each device}}
    %3 = "stablehlo.collective_broadcast"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[1]]> : tensor<1x1xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    // expected-error @below {{its groups hold a device that there is not}}
    %4 = "stablehlo.collective_permute"(%x) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, source_target_pairs = dense<[[0, 2]]> : tensor<1x2xi64>} : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0, %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
  }
}
