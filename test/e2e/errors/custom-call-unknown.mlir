// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: my_library_function

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @my_library_function(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
