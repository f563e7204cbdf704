// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: argument 'arg0' has type '!stablehlo.token'

func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
