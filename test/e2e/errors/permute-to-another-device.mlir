// RUN: %exits 3 heddle check %s | FileCheck %s
// CHECK: error[HDL-0302]: 'stablehlo.collective_permute' names device 1; it is number 0, and one device is compiled for

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
