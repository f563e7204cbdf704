// A model in bf16 has a variant for processors that sum up products of pairs, beside one for all others; both read the same weights, two bytes an element.
// RUN: heddle compile -q %s -t x86-64-v3,x86-64-v4-bf16,aarch64 -o %t.heddle
// RUN: heddle inspect %t.heddle --show=weights | FileCheck %s
// CHECK: weights: {{.*}}, [[BYTES:[0-9.]+ [KM]?i?B]], of which targets share [[BYTES]]
// CHECK: "* k n -> * n/32 k/2 n%32 k%2"
// CHECK: target x86-64-v3: {{.*}}(0 B its own)
// CHECK-NOT: flush
// CHECK: target x86-64-v4-bf16: {{.*}}(0 B its own){{.*}}, products of bf16 in pairs, which flush subnormal numbers to zero
// CHECK: target aarch64: {{.*}}(0 B its own)
// CHECK-NOT: flush
// RUN: heddle inspect %t.heddle --json | FileCheck %s --check-prefix=JSON
// JSON-COUNT-1: "bf16_pairs_flush_subnormals": true
// JSON-NOT: "bf16_pairs_flush_subnormals": true

// Code without such products is that of the level that has all it uses, and is named so.
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4-bf16 -o %t.plain.heddle
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4 -o %t.v4.heddle
// RUN: cmp %t.plain.heddle %t.v4.heddle
// RUN: heddle compile -q %S/quantized-variants.mlir -t x86-64-v4-bf16 -o %t.bytes.heddle
// RUN: heddle compile -q %S/quantized-variants.mlir -t x86-64-v4-vnni -o %t.vnni.heddle
// RUN: cmp %t.bytes.heddle %t.vnni.heddle

// Where the processor has the instruction its variant is taken, and gives the bits of the other one for these numbers, odd depths, epilogues and all.
// RUN: %if avx512bf16 %{ heddle run %t.heddle --threads 1 --json --input 0=random:1 --input 1=random:2 --input 2=random:3 --output %t.pairs | FileCheck %s --check-prefix=TAKEN %}
// TAKEN: "variant": "x86-64-v4-bf16"
// RUN: heddle compile -q %s -t x86-64-v3 -o %t.v3.heddle
// RUN: %if avx512bf16 %{ heddle run %t.v3.heddle --input 0=random:1 --input 1=random:2 --input 2=random:3 --output %t.widened %}
// RUN: %if avx512bf16 %{ diff -r %t.pairs %t.widened %}
// RUN: heddle compare %s -t native
func.func @main(%a: tensor<3x64xbf16>, %b: tensor<1x37xbf16>, %x: tensor<1x6x5x4xbf16>) -> (tensor<3x40xbf16>, tensor<1x24xf32>, tensor<1x6x5x2xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<64x40xbf16>
  %j = stablehlo.iota dim = 1 : tensor<64x40xbf16>
  %c = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xbf16>
  %r = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xbf16>) -> tensor<2x1280xbf16>
  %t = stablehlo.reshape %r : (tensor<2x1280xbf16>) -> tensor<64x40xbf16>
  %p = stablehlo.subtract %i, %j : tensor<64x40xbf16>
  %w = stablehlo.add %p, %t : tensor<64x40xbf16>
  %bias = stablehlo.constant dense<0.75> : tensor<3x40xbf16>
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<3x64xbf16>, tensor<64x40xbf16>) -> tensor<3x40xbf16>
  %1 = stablehlo.add %0, %bias : tensor<3x40xbf16>
  %2 = stablehlo.logistic %1 : tensor<3x40xbf16>

  %v = stablehlo.slice %w [0:37, 0:24] : (tensor<64x40xbf16>) -> tensor<37x24xbf16>
  %3 = stablehlo.dot_general %b, %v, contracting_dims = [1] x [0] : (tensor<1x37xbf16>, tensor<37x24xbf16>) -> tensor<1x24xf32>

  %f = stablehlo.slice %w [0:36, 0:2] : (tensor<64x40xbf16>) -> tensor<36x2xbf16>
  %k = stablehlo.reshape %f : (tensor<36x2xbf16>) -> tensor<3x3x4x2xbf16>
  %4 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x5x4xbf16>, tensor<3x3x4x2xbf16>) -> tensor<1x6x5x2xbf16>
  return %2, %3, %4 : tensor<3x40xbf16>, tensor<1x24xf32>, tensor<1x6x5x2xbf16>
}
