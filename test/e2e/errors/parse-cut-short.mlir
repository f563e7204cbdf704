// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: error[HDL-0301]: expected
// CHECK: help: The message shows the place.

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.abs %x : tensor<2x
