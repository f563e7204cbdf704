// RUN: heddle-opt %s --heddle-partition | FileCheck %s

// Layers that a loop goes over, each a call: both are seen through, and the weights of each layer are cut as what is said of the first argument
// lets them. One sum a round, and nothing is gathered.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<4x8xf32> {heddle.whole = tensor<8x8xf32>
// CHECK-SAME: %arg1: tensor<3x8x2xf32>
// CHECK-SAME: %arg2: tensor<3x2x8xf32>
// CHECK: stablehlo.while
// CHECK: stablehlo.dot_general {{.*}} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK: stablehlo.dot_general {{.*}} : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: "stablehlo.all_reduce"
// CHECK-NOT: all_gather
// CHECK: return {{.*}} : tensor<4x8xf32>
sdy.mesh @mesh = <["data"=2, "model"=4]>
func.func @main(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w: tensor<3x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}, {"model"}]>}, %v: tensor<3x8x8xf32>) -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<8x8xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %k = stablehlo.constant dense<0> : tensor<i32>
      %ws = stablehlo.dynamic_slice %w, %i, %k, %k, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %wi = stablehlo.reshape %ws : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %vs = stablehlo.dynamic_slice %v, %i, %k, %k, sizes = [1, 8, 8] : (tensor<3x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x8x8xf32>
      %vi = stablehlo.reshape %vs : (tensor<1x8x8xf32>) -> tensor<8x8xf32>
      %z = func.call @layer(%y, %wi, %vi) : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      stablehlo.return %j, %z : tensor<i32>, tensor<8x8xf32>
    }
  return %0#1 : tensor<8x8xf32>
}
func.func private @layer(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>, %v: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
