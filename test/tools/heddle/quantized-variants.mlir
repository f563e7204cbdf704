// A quantized model has a variant for processors that sum up products of bytes, beside one for all others; both read the same weights, stored as bytes.
// RUN: heddle compile -q %s -t x86-64-v3,x86-64-v4-vnni,aarch64 -o %t.heddle
// RUN: heddle inspect %t.heddle | FileCheck %s
// CHECK: weights: {{.*}}, [[BYTES:[0-9.]+ [KM]?i?B]], of which targets share [[BYTES]]
// CHECK: target x86-64-v3: {{.*}}(0 B its own)
// CHECK: target x86-64-v4-vnni: {{.*}}(0 B its own)
// CHECK: target aarch64: {{.*}}(0 B its own)

// Of a model without such products the code is that of the level without the instruction, and is named so.
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4-vnni -o %t.plain.heddle
// RUN: heddle inspect %t.plain.heddle | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: vnni
// PLAIN: target x86-64-v4:
// PLAIN-NOT: vnni
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4 -o %t.v4.heddle
// RUN: cmp %t.plain.heddle %t.v4.heddle

// What several targets would call by one name is made once, wherever code is made or shown.
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4,x86-64-v4-vnni,x86-64-v4-bf16 -o %t.all.heddle
// RUN: cmp %t.all.heddle %t.v4.heddle
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4-vnni,x86-64-v4-bf16 -o %t.both.heddle
// RUN: cmp %t.both.heddle %t.v4.heddle
// RUN: rm -rf %t.stages && mkdir %t.stages
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v3,x86-64-v4-vnni,x86-64-v4-bf16 --stop-after=heddle-plan -o %t.stages/plan.mlir
// RUN: ls %t.stages | FileCheck %s --check-prefix=STAGES
// STAGES: plan.1.mlir
// STAGES-NEXT: plan.mlir
// STAGES-NOT: mlir
// Products of bytes in quads are the same code on both of these, and other code than that of the plain level.
// RUN: heddle compile -q %s -t x86-64-v4,x86-64-v4-vnni,x86-64-v4-bf16 -o %t.two.heddle
// RUN: heddle inspect %t.two.heddle | FileCheck %s --check-prefix=TWO
// TWO: target x86-64-v4:
// TWO: target x86-64-v4-vnni:
// TWO-NOT: target x86

// So it is with the instruction in registers of 256 bits: quantized models alone have the variant.
// RUN: heddle compile -q %s -t x86-64-v3,x86-64-v3-vnni -o %t.vex.heddle
// RUN: heddle inspect %t.vex.heddle | FileCheck %s --check-prefix=VEX
// VEX: target x86-64-v3: {{.*}}(0 B its own)
// VEX: target x86-64-v3-vnni: {{.*}}(0 B its own)
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v3,x86-64-v3-vnni -o %t.plain3.heddle
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v3 -o %t.v3.heddle
// RUN: cmp %t.plain3.heddle %t.v3.heddle

// Where the processor has the instruction its variant is taken, with the bits of the others.
// RUN: %if avx512vnni %{ heddle run %t.heddle --threads 1 --json --output %t.out | FileCheck %s --check-prefix=TAKEN %}
// TAKEN: "variant": "x86-64-v4-vnni"
// RUN: %if avxvnni %{ heddle run %t.vex.heddle --threads 1 --json --input 0=random:1 --output %t.vex.out | FileCheck %s --check-prefix=TAKEN-VEX %}
// TAKEN-VEX: "variant": "x86-64-v3-vnni"
// RUN: heddle compile -q %s -t x86-64-v3 -o %t.pairs.heddle
// RUN: %if avxvnni %{ heddle run %t.pairs.heddle --threads 1 --input 0=random:1 --output %t.pairs.out %}
// RUN: %if avxvnni %{ diff -r %t.vex.out %t.pairs.out %}
func.func @main(%a: tensor<3x64xui8>) -> tensor<3x40xf32> {
  %i = stablehlo.iota dim = 0 : tensor<64x40xf32>
  %c = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xf32>
  %r = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x1280xf32>
  %t = stablehlo.reshape %r : (tensor<2x1280xf32>) -> tensor<64x40xf32>
  %f = stablehlo.add %i, %t : tensor<64x40xf32>
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %three = stablehlo.constant dense<3> : tensor<ui8>
  %q = prec.quantize %f, %s, %zero rounding nearest_even range -128 to 127 : tensor<64x40xf32>, tensor<f32>, tensor<i8> -> tensor<64x40xi8>
  %w = prec.dequantize %q, %s, %zero : tensor<64x40xi8>, tensor<f32>, tensor<i8> -> tensor<64x40xf32>
  %d = prec.dequantize %a, %s, %three : tensor<3x64xui8>, tensor<f32>, tensor<ui8> -> tensor<3x64xf32>
  %0 = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<3x64xf32>, tensor<64x40xf32>) -> tensor<3x40xf32>
  return %0 : tensor<3x40xf32>
}
