// Scores and values of attention in bf16, whose sides are activations, are multiplied in pairs, too, odd depths and all.
// RUN: heddle compile -q %s -t x86-64-v3,x86-64-v4-bf16 -o %t.heddle
// RUN: heddle inspect %t.heddle | FileCheck %s
// CHECK: target x86-64-v3:
// CHECK-NOT: flush
// CHECK: target x86-64-v4-bf16: {{.*}}, products of bf16 in pairs, which flush subnormal numbers to zero

// The variants give the same bits for these numbers.
// RUN: %if avx512bf16 %{ heddle run %t.heddle --variant x86-64-v4-bf16 --input 0=random:1 --input 1=random:2 --input 2=random:3 --output %t.pairs %}
// RUN: %if avx512bf16 %{ heddle run %t.heddle --variant x86-64-v3 --input 0=random:1 --input 1=random:2 --input 2=random:3 --output %t.widened %}
// RUN: %if avx512bf16 %{ diff -r %t.pairs %t.widened %}
// RUN: heddle compare %s -t native
func.func @main(%q: tensor<2x3x37x19xbf16>, %k: tensor<2x3x51x19xbf16>, %v: tensor<2x3x51x20xbf16>) -> tensor<2x3x37x20xbf16> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3] : (tensor<2x3x37x19xbf16>, tensor<2x3x51x19xbf16>) -> tensor<2x3x37x51xbf16>
  %1 = stablehlo.abs %0 : tensor<2x3x37x51xbf16>
  %2 = stablehlo.dot_general %1, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x37x51xbf16>, tensor<2x3x51x20xbf16>) -> tensor<2x3x37x20xbf16>
  return %2 : tensor<2x3x37x20xbf16>
}
