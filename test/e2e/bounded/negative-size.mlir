// RUN: %exits 3 heddle check -q %s --shape arg0=3 | FileCheck %s
// CHECK: negative-size.mlir:9:8: error[HDL-0305]: 'stablehlo.dynamic_iota' op has a negative size

func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %a, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %m = stablehlo.subtract %n, %five : tensor<i32>
  %s = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %0 = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
