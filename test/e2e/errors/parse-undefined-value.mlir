// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0301]: use of undeclared SSA value name

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
