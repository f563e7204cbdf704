// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: stablehlo.dynamic_reshape

func.func @main(%x: tensor<6xf32>, %s: tensor<2xi32>) -> tensor<2x3xf32> {
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.abs %0 : tensor<?x?xf32>
  %2 = stablehlo.custom_call @fix(%1) : (tensor<?x?xf32>) -> tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}
