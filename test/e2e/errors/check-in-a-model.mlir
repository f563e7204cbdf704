// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: check.expect_eq

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2xf32>
  stablehlo.custom_call @check.expect_eq(%0, %x) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
  return %0 : tensor<2xf32>
}
