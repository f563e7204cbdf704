// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.concatenate' op shapes of inputs differ outside dimension 0: 'tensor<2x3xf32>' and 'tensor<2x4xf32>'

func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<4x3xf32> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
