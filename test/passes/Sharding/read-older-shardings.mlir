// RUN: heddle-opt %s --heddle-sharding-read-older --split-input-file | FileCheck %s

// Tiles go along axes from the major to the minor one; devices along the last dimension of tiles have equal parts.
// CHECK-LABEL: func.func @arguments
// CHECK-SAME: %arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}
// CHECK-SAME: %arg1: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {"data"}]>}
// CHECK-SAME: %arg2: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"data", "model"}]>}
// CHECK-SAME: %arg3: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}
// CHECK-SAME: %arg4: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model", "data"}, {}]>}
// CHECK-SAME: %arg5: tensor<f32>)
// CHECK-SAME: -> (tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {"model"}]>})
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @arguments(
    %a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate}"},
    %b: tensor<8x6xf32> {mhlo.sharding = "{devices=[4,2]<=[2,4]T(1,0)}"},
    %c: tensor<8x6xf32> {mhlo.sharding = "{devices=[1,8]<=[8]}"},
    %d: tensor<8x6xf32> {mhlo.sharding = "{replicated}"},
    %e: tensor<8x6xf32> {mhlo.sharding = "{devices=[8,1]0,4,1,5,2,6,3,7}"},
    %f: tensor<f32>) -> (tensor<8x6xf32> {mhlo.sharding = "{devices=[2,4]<=[8]}"}) {
  return %a : tensor<8x6xf32>
}

// -----

// Parts of axes; several subgroups; where a sharding comes from is not looked at.
// CHECK-LABEL: func.func @parts_of_axes
// CHECK-SAME: %arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2}, {}]>}
// CHECK-SAME: %arg1: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y", "x":(2)2}, {}]>}
// CHECK-SAME: %arg2: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}
sdy.mesh @mesh = <["x"=4, "y"=2]>
func.func @parts_of_axes(
    %a: tensor<8x6xf32> {mhlo.sharding = "{devices=[2,1,4]<=[8] last_tile_dim_replicate metadata={op_name=\"jit(f)\"}}"},
    %b: tensor<8x6xf32> {mhlo.sharding = "{devices=[4,1,2]0,4,2,6,1,5,3,7 last_tile_dim_replicate}"},
    %c: tensor<8x6xf32> {mhlo.sharding = "{devices=[1,2,2,2]<=[4,2]T(1,0) last_tile_dims={replicated, replicated}}"}) {
  return
}

// -----

// Calls that constrain, some leaving dimensions open; attributes of operations; what sdy says holds.
// CHECK-LABEL: func.func @operations
// CHECK-SAME: %arg0: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
sdy.mesh @mesh = <["x"=2]>
func.func @operations(%a: tensor<8x6xf32> {mhlo.sharding = "{replicated}", sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) -> tensor<8x6xf32> {
  // CHECK-NEXT: %0 = sdy.sharding_constraint %arg0 <@mesh, [{"x"}, {}]> : tensor<8x6xf32>
  %0 = stablehlo.custom_call @Sharding(%a) {backend_config = "", mhlo.sharding = "{devices=[2,1]<=[2]}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK-NEXT: %1 = stablehlo.abs %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>}
  %1 = stablehlo.abs %0 {mhlo.sharding = "{devices=[1,2]<=[2]}"} : tensor<8x6xf32>
  // CHECK-NEXT: %2 = sdy.sharding_constraint %1 <@mesh, [{?}, {"x", ?}]> : tensor<8x6xf32>
  %2 = stablehlo.custom_call @Sharding(%1) {backend_config = "unspecified_dims=[0,1]", mhlo.sharding = "{devices=[1,2]<=[2]}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK-NEXT: return %2
  return %2 : tensor<8x6xf32>
}

// -----

// What jax wrote for shard_map is a computation by hand over all axes.
// CHECK-LABEL: func.func @shard_map
sdy.mesh @mesh = <["x"=2, "y"=2]>
func.func @shard_map(%a: tensor<8x6xf32>, %b: tensor<6xf32>) -> (tensor<8x6xf32>, tensor<6xf32>) {
  // CHECK-NEXT: %0:2 = sdy.manual_computation(%arg0, %arg1)
  // CHECK-SAME: in_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>]
  // CHECK-SAME: manual_axes={"x", "y"} (%arg2: tensor<4x6xf32>, %arg3: tensor<3xf32>)
  // CHECK-NEXT: %1:2 = func.call @body(%arg2, %arg3)
  // CHECK-NEXT: sdy.return %1#0, %1#1
  %0 = stablehlo.custom_call @Sharding(%a) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %1 = stablehlo.custom_call @SPMDFullToShardShape(%0) {mhlo.sharding = "{manual}"} : (tensor<8x6xf32>) -> tensor<4x6xf32>
  %2 = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "{devices=[2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<6xf32>) -> tensor<6xf32>
  %3 = stablehlo.custom_call @SPMDFullToShardShape(%2) {mhlo.sharding = "{manual}"} : (tensor<6xf32>) -> tensor<3xf32>
  %4:2 = func.call @body(%1, %3) : (tensor<4x6xf32>, tensor<3xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
  %5 = stablehlo.custom_call @Sharding(%4#0) {mhlo.sharding = "{manual}"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = stablehlo.custom_call @SPMDShardToFullShape(%5) {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"} : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %7 = stablehlo.custom_call @SPMDShardToFullShape(%4#1) {mhlo.sharding = "{replicated}"} : (tensor<6xf32>) -> tensor<6xf32>
  // CHECK: return %0#0, %0#1
  return %6, %7 : tensor<8x6xf32>, tensor<6xf32>
}
// CHECK: func.func private @body(%arg0: tensor<4x6xf32>, %arg1: tensor<3xf32>) -> (tensor<4x6xf32>, tensor<6xf32>)
func.func private @body(%a: tensor<4x6xf32> {mhlo.sharding = "{manual}"}, %b: tensor<3xf32>) -> (tensor<4x6xf32>, tensor<6xf32>) {
  // CHECK-NEXT: stablehlo.concatenate %arg1, %arg1
  %0 = stablehlo.custom_call @Sharding(%b) {mhlo.sharding = "{manual}"} : (tensor<3xf32>) -> tensor<3xf32>
  %1 = stablehlo.concatenate %0, %0, dim = 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %a, %1 : tensor<4x6xf32>, tensor<6xf32>
}

// -----

// Nothing is asked of a program without such words.
// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: stablehlo.custom_call @Other
func.func @nothing(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.custom_call @Other(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
