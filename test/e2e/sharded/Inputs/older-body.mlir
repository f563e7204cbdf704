// Sums of rows, each device those of its part, and all of them joined: as jax wrote shard_map before Shardy.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%a: tensor<8x6xi32>) -> tensor<6xi32> {
    %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[4,1]<=[4]}"} : (tensor<8x6xi32>) -> tensor<8x6xi32>
    %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x6xi32>) -> tensor<2x6xi32>
    %2 = func.call @shmap_body(%1) : (tensor<2x6xi32>) -> tensor<6xi32>
    %3 = stablehlo.custom_call @Sharding(%2) {mhlo.sharding = "{manual}"} : (tensor<6xi32>) -> tensor<6xi32>
    %4 = stablehlo.custom_call @SPMDShardToFullShape(%3) {mhlo.sharding = "{replicated}"} : (tensor<6xi32>) -> tensor<6xi32>
    return %4 : tensor<6xi32>
  }
  func.func private @shmap_body(%a: tensor<2x6xi32>) -> tensor<6xi32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.reduce(%a init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<2x6xi32>, tensor<i32>) -> tensor<6xi32>
    %1 = "stablehlo.all_reduce"(%0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, use_global_device_ids}> ({
    ^bb0(%x: tensor<i32>, %y: tensor<i32>):
      %sum = stablehlo.add %x, %y : tensor<i32>
      stablehlo.return %sum : tensor<i32>
    }) : (tensor<6xi32>) -> tensor<6xi32>
    return %1 : tensor<6xi32>
  }
}
