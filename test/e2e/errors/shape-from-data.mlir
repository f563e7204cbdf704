// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-{{[0-9]+}}]: {{.*}}stablehlo.dynamic_iota

func.func @main(%s: tensor<1xi32>, %init: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %1 = stablehlo.reduce(%0 init: %init) applies stablehlo.maximum across dimensions = [0] : (tensor<?xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
