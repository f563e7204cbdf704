// RUN: %exits 1 heddle check %s | FileCheck %s
// CHECK: open-sizes-contradict.mlir:7:8: error[HDL-0307]: 'stablehlo.convolution' op feature_group_count 2 does not divide 3 features, with the sizes that are open in its type
// CHECK: help: The message names the operation and the rule.
func.func @main(%x: tensor<1x4x3xf32>, %w: tensor<3x1x2xf32>) -> tensor<?x?x?xf32> {
  // No verifier sees the three features.
  %0 = stablehlo.add %x, %x : (tensor<1x4x3xf32>, tensor<1x4x3xf32>) -> tensor<?x?x?xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<?x?x?xf32>, tensor<3x1x2xf32>) -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}
