// RUN: heddle-opt %s --heddle-simplify | FileCheck %s

// A constant shape reaches everything that is computed from it, the function's
// type among it.
// CHECK-LABEL: func.func @constant(%{{.*}}: tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK: stablehlo.reshape %{{.*}} : (tensor<2x6xf32>) -> tensor<4x3xf32>
// CHECK: stablehlo.exponential %{{.*}} : tensor<4x3xf32>
// CHECK-NOT: ?
func.func @constant(%x: tensor<2x6xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.exponential %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

// What the call only knows stays open.
// CHECK-LABEL: func.func @computed
// CHECK: stablehlo.dynamic_reshape {{.*}} -> tensor<?x?xf32>
func.func @computed(%x: tensor<2x6xf32>, %s: tensor<2xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
