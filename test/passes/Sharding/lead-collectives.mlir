// RUN: heddle-opt %s --heddle-sharding-lead-collectives | FileCheck %s

// CHECK-LABEL: func.func @gather
func.func @gather(%a: tensor<4x3xf32>) -> tensor<4x6xf32> {
  // CHECK: %[[A:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x3xf32>) -> tensor<1x4x3xf32>
  // CHECK: %[[B:.*]] = "stablehlo.all_gather"(%[[A]]) <{all_gather_dim = 0 : i64{{.*}} : (tensor<1x4x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: %[[C:.*]] = stablehlo.transpose %[[B]], dims = [1, 0, 2] : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
  // CHECK: %[[D:.*]] = stablehlo.reshape %[[C]] : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
  // CHECK: return %[[D]]
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// Pieces that follow each other already, also behind dimensions of one, stay as they are.
// CHECK-LABEL: func.func @first
func.func @first(%a: tensor<1x3x5xf32>) -> tensor<1x6x5xf32> {
  // CHECK-NOT: transpose
  // CHECK: "stablehlo.all_gather"(%{{.*}}) <{all_gather_dim = 1
  // CHECK-NOT: reshape
  // CHECK: return
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<1x3x5xf32>) -> tensor<1x6x5xf32>
  return %0 : tensor<1x6x5xf32>
}

// What has no elements is not exchanged.
// CHECK-LABEL: func.func @nothing
func.func @nothing(%a: tensor<0x3xf32>) -> tensor<0x6xf32> {
  // CHECK-NOT: all_gather
  // CHECK: stablehlo.reshape %{{.*}} : (tensor<0x3xf32>) -> tensor<0x6xf32>
  // CHECK-NOT: all_gather
  // CHECK: return
  %0 = "stablehlo.all_gather"(%a) {all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<0x3xf32>) -> tensor<0x6xf32>
  return %0 : tensor<0x6xf32>
}

// CHECK-LABEL: func.func @scatter
func.func @scatter(%a: tensor<4x6xf32>) -> tensor<4x3xf32> {
  // CHECK: %[[A:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  // CHECK: %[[B:.*]] = stablehlo.transpose %[[A]], dims = [1, 0, 2] : (tensor<4x2x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: %[[C:.*]] = "stablehlo.reduce_scatter"(%[[B]]) <{{.*}}scatter_dimension = 0 : i64
  // CHECK: stablehlo.add
  // CHECK: stablehlo.reshape %[[C]] : (tensor<1x4x3xf32>) -> tensor<4x3xf32>
  %0 = "stablehlo.reduce_scatter"(%a) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids} : (tensor<4x6xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @exchange
func.func @exchange(%a: tensor<4x6xf32>) -> tensor<8x3xf32> {
  // CHECK: %[[A:.*]] = stablehlo.reshape %{{.*}} : (tensor<4x6xf32>) -> tensor<4x2x3xf32>
  // CHECK: %[[B:.*]] = stablehlo.transpose %[[A]], dims = [1, 0, 2]
  // CHECK: %[[C:.*]] = "stablehlo.all_to_all"(%[[B]]) <{{.*}}concat_dimension = 0 : i64{{.*}}split_dimension = 0 : i64{{.*}} : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: %[[D:.*]] = stablehlo.transpose %[[C]], dims = [0, 1, 2]
  // CHECK: stablehlo.reshape %[[D]] : (tensor<2x4x3xf32>) -> tensor<8x3xf32>
  %0 = "stablehlo.all_to_all"(%a) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<4x6xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}
