// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0303]: there is neither a function @main nor exactly one public function
// CHECK: help: The entry point is the function @main, or the only public function.

func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func @g(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
