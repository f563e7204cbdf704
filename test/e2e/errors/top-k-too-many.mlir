// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'chlo.top_k' op takes 5 of 4 elements

func.func @main(%x: tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi32>) {
  %0, %1 = chlo.top_k(%x, k = 5) : tensor<4xf32> -> (tensor<5xf32>, tensor<5xi32>)
  return %0, %1 : tensor<5xf32>, tensor<5xi32>
}
