// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'func.call' op 'missing' does not reference a valid function

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @missing(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
