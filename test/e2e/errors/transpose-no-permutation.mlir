// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.transpose' op permutation does not order the 2 dimensions of 'tensor<2x3xf32>'

func.func @main(%x: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.transpose %x, dims = [0, 0] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
