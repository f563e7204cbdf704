// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.and' op operand #0 must be ranked tensor of bool or integers, but got 'tensor<2xf32>'

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.and %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
