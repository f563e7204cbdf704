// `inspect --json` tells each kernel's identity: kernels of one target differ in it, those of two targets too, and the same model compiled again has the same,
// whatever its nodes are called.
// RUN: heddle compile %s -o %t.one.heddle -t x86-64-v3 -t x86-64-v4
// RUN: sed 's/@first/@second/' %s > %t.renamed.mlir
// RUN: heddle compile %t.renamed.mlir -o %t.two.heddle -t x86-64-v3 -t x86-64-v4
// RUN: heddle inspect --json %t.one.heddle > %t.one.json
// RUN: heddle inspect --json %t.two.heddle > %t.two.json
// RUN: %python %S/Inputs/kernel_identity.py %t.one.json %t.two.json | FileCheck %s
// CHECK: 3 kernels, 6 identities, equal in both
func.func private @first(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.tanh %x : tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = func.call @first(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = stablehlo.dot_general %2, %1, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x64xf32>, tensor<f32>) -> tensor<64xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<64xf32>) -> tensor<64x64xf32>
  %6 = stablehlo.divide %3, %5 : tensor<64x64xf32>
  return %6 : tensor<64x64xf32>
}
