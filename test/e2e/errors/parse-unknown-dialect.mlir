// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0301]: 'mhlo.add' is no operation of the dialects that heddle reads: stablehlo

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "mhlo.add"(%x, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
