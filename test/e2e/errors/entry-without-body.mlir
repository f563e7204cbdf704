// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0303]: function @main has no body

func.func private @main(tensor<2xf32>) -> tensor<2xf32>
