// RUN: %exits 6 heddle check %s | FileCheck %s
// CHECK: error[HDL-0603]

func.func @main(%x: tensor<f32>) -> tensor<1099511627776x4xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1099511627776x4xf32>
  return %0 : tensor<1099511627776x4xf32>
}
