// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.reshape' op turns 6 elements into 5

func.func @main(%x: tensor<2x3xf32>) -> tensor<5xf32> {
  %0 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
