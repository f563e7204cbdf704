// Products of bytes and of bf16 have a variant for processors with matrix registers, if there are rows that are worth them; it reads the weights of the others.
// RUN: heddle compile -q %s -t x86-64-v3,x86-64-v4-vnni,x86-64-v4-amx -o %t.heddle
// RUN: heddle inspect %t.heddle | FileCheck %s
// CHECK: weights: {{.*}}, [[BYTES:[0-9.]+ [KM]?i?B]], of which targets share [[BYTES]]
// CHECK: target x86-64-v3: {{.*}}(0 B its own)
// CHECK: target x86-64-v4-vnni: {{.*}}(0 B its own)
// CHECK: target x86-64-v4-amx: {{.*}}(0 B its own)

// Code for fewer rows is that of the level that has all it uses, and is named so; that of bf16 leaves the instruction for pairs, which is slow there.
// RUN: heddle compile -q %S/quantized-variants.mlir -t x86-64-v4-amx -o %t.bytes.heddle
// RUN: heddle compile -q %S/quantized-variants.mlir -t x86-64-v4-vnni -o %t.vnni.heddle
// RUN: cmp %t.bytes.heddle %t.vnni.heddle
// RUN: heddle compile -q %S/bf16-variants.mlir -t x86-64-v4-amx -o %t.pairs.heddle
// RUN: heddle compile -q %S/bf16-variants.mlir -t x86-64-v4 -o %t.widened.heddle
// RUN: cmp %t.pairs.heddle %t.widened.heddle
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4-amx -o %t.plain.heddle
// RUN: heddle compile -q %S/Inputs/mlp.mlir -t x86-64-v4 -o %t.v4.heddle
// RUN: cmp %t.plain.heddle %t.v4.heddle

// Where the processor has them the variant is taken, and gives the bits of the others for bytes.
// RUN: %if amx %{ heddle run %t.heddle --threads 1 --json --input 0=random:1 --output %t.matrices | FileCheck %s --check-prefix=TAKEN %}
// TAKEN: "variant": "x86-64-v4-amx"
// RUN: heddle compile -q %s -t x86-64-v3 -o %t.v3.heddle
// RUN: %if amx %{ heddle run %t.v3.heddle --input 0=random:1 --output %t.vectors %}
// RUN: %if amx %{ diff -r %t.matrices %t.vectors %}
// RUN: heddle compare %s -t native
func.func @main(%a: tensor<39x100xui8>) -> tensor<39x56xf32> {
  %i = stablehlo.iota dim = 0 : tensor<100x56xf32>
  %c = stablehlo.constant dense<[[0.5], [1.5]]> : tensor<2x1xf32>
  %r = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x2800xf32>
  %t = stablehlo.reshape %r : (tensor<2x2800xf32>) -> tensor<100x56xf32>
  %f = stablehlo.subtract %t, %i : tensor<100x56xf32>
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %three = stablehlo.constant dense<3> : tensor<ui8>
  %q = prec.quantize %f, %s, %zero rounding nearest_even range -128 to 127 : tensor<100x56xf32>, tensor<f32>, tensor<i8> -> tensor<100x56xi8>
  %w = prec.dequantize %q, %s, %zero : tensor<100x56xi8>, tensor<f32>, tensor<i8> -> tensor<100x56xf32>
  %d = prec.dequantize %a, %s, %three : tensor<39x100xui8>, tensor<f32>, tensor<ui8> -> tensor<39x100xf32>
  %0 = stablehlo.dot_general %d, %w, contracting_dims = [1] x [0] : (tensor<39x100xf32>, tensor<100x56xf32>) -> tensor<39x56xf32>
  return %0 : tensor<39x56xf32>
}
