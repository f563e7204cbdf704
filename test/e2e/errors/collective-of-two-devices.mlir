// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0302]: 'stablehlo.all_gather' needs 2 devices: a group holds 2, the largest number is 1; one device is compiled for
// CHECK: help: `heddle check MODEL` lists every one of them.

func.func @main(%x: tensor<2xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
