// What a payload counts is the same for all who weigh it: an exponential as twenty instructions, a division as four, a sum as one.
// RUN: heddle compile %s -o %t.heddle -t x86-64-v3
// RUN: heddle inspect %t.heddle --show=kernels | FileCheck %s
// CHECK-DAG: 20.0 k
// CHECK-DAG: 5.0 k
func.func @main(%x: tensor<1000x1000xf32>, %y: tensor<1000x1000xf32>) -> (tensor<1000x1000xf32>, tensor<1000x1000xf32>) {
  %0 = stablehlo.tanh %x : tensor<1000x1000xf32>
  %1 = stablehlo.divide %x, %y : tensor<1000x1000xf32>
  %2 = stablehlo.add %1, %y : tensor<1000x1000xf32>
  return %0, %2 : tensor<1000x1000xf32>, tensor<1000x1000xf32>
}
