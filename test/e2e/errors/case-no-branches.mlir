// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0307]: 'stablehlo.case' op case needs at least one branch

func.func @main(%x: tensor<i32>) -> tensor<i32> {
  %0 = "stablehlo.case"(%x) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
