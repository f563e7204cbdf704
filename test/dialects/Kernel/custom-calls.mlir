// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// A kernel that is a function of the program which loads the artifact.
// CHECK: func.func private @call.f(tensor<4xi32>, tensor<2x2xf32> {kernel.tied = 0 : i64}) -> tensor<2x2xf32>
// CHECK-SAME: kernel.custom_call = {api_version = 4 : i32, attributes = {}, backend_config = "", operands = [tensor<4xui32>, tensor<2xcomplex<f32>>], results = [tensor<2xcomplex<f32>>], side_effect = true, target = "f"}, kernel.entry
func.func private @call.f(tensor<4xi32>, tensor<2x2xf32> {kernel.tied = 0 : i64}) -> tensor<2x2xf32> attributes {
  kernel.entry, kernel.custom_call = {target = "f", api_version = 4 : i32, side_effect = true, attributes = {}, backend_config = "",
    operands = [tensor<4xui32>, tensor<2xcomplex<f32>>], results = [tensor<2xcomplex<f32>>]}}
func.func @main(%x: tensor<4xi32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = kernel.launch @call.f(%x, %y) : (tensor<4xi32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
