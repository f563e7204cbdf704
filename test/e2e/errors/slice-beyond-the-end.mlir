// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.slice' op range 2:6 of dimension 0 is not inside 'tensor<4xf32>'

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.slice %x [2:6] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
