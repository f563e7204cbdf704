// An artifact takes and gives what the model does, whatever stage its build goes on from.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compile -q all.mlir -t x86-64-v3 --state before=after -o whole.heddle --dump-after=heddle-graph=graph.mlir --dump-after=heddle-lower=lower.mlir --dump-after=heddle-dispatch=dispatch.mlir
// RUN: heddle compile -q --start-from=heddle-graph graph.mlir -t x86-64-v3 -o graph.heddle
// RUN: heddle compile -q --start-from=heddle-lower lower.mlir -t x86-64-v3 -o lower.heddle
// RUN: heddle compile -q --start-from=heddle-dispatch dispatch.mlir -t x86-64-v3 -o dispatch.heddle
// RUN: heddle inspect whole.heddle | FileCheck %s
// RUN: heddle inspect graph.heddle | FileCheck %s
// RUN: heddle inspect lower.heddle | FileCheck %s
// RUN: heddle inspect dispatch.heddle | FileCheck %s
// CHECK:      input ui8 ui8 4{{$}}
// CHECK-NEXT: input i4 i4 4{{$}}
// CHECK-NEXT: input ui4 ui4 4{{$}}
// CHECK-NEXT: input f8 f8e5m2 4{{$}}
// CHECK-NEXT: input bf16 bf16 4{{$}}
// CHECK-NEXT: input i1 i1 4{{$}}
// CHECK-NEXT: input c64 c64 4{{$}}
// CHECK-NEXT: input i8 i8 4{{$}}
// CHECK-NEXT: output out0 ui8 4{{$}}
// CHECK-NEXT: output out1 i4 4{{$}}
// CHECK-NEXT: output out2 ui4 4{{$}}
// CHECK-NEXT: output out3 f8e5m2 4{{$}}
// CHECK-NEXT: output out4 bf16 4{{$}}
// CHECK-NEXT: output out5 i1 4{{$}}
// CHECK-NEXT: output out6 c64 4{{$}}
// CHECK-NEXT: output out7 i8 4{{$}}
// CHECK-NEXT: state before ui16 4 (changed)
// RUN: cmp whole.heddle graph.heddle
// RUN: cmp whole.heddle lower.heddle
// RUN: cmp whole.heddle dispatch.heddle

// A donated input may be replaced by a result of its own type alone.
// RUN: heddle compile -q donated.mlir -t x86-64-v3 -o donated.heddle
// RUN: heddle-opt --heddle-graph --heddle-lower donated.mlir -o donated.lower.mlir
// RUN: heddle compile -q --start-from=heddle-lower donated.lower.mlir -t x86-64-v3 -o donated.lower.heddle
// RUN: heddle inspect donated.heddle | FileCheck %s --check-prefix=DONATED
// RUN: heddle inspect donated.lower.heddle | FileCheck %s --check-prefix=DONATED
// DONATED: output out0 i8 4{{$}}
// DONATED: output out1 ui8 4 (may take the memory of input 0)

// A dump that says other than what is there is refused.
// RUN: sed 's/heddle.type = tensor<4xui8>/heddle.type = tensor<5xui8>/' lower.mlir > longer.mlir
// RUN: %exits 1 heddle compile -q --start-from=heddle-lower longer.mlir -o no.heddle | FileCheck %s --check-prefix=LONGER
// LONGER: error[HDL-0307]: argument 0 has heddle.type = tensor<5xui8>, and is {{.*}}tensor<4xi8>
// RUN: sed 's/heddle.type = tensor<4xui8>/heddle.type = "ui8"/' dispatch.mlir > text.mlir
// RUN: %exits 1 heddle compile -q --start-from=heddle-dispatch text.mlir -o no.heddle | FileCheck %s --check-prefix=TEXT
// TEXT: error[HDL-0307]: argument 0 has heddle.type = "ui8", and is {{.*}}tensor<4xi8>

//--- all.mlir
func.func @main(%a: tensor<4xui8> {heddle.name = "ui8"}, %b: tensor<4xi4> {heddle.name = "i4"}, %c: tensor<4xui4> {heddle.name = "ui4"},
    %d: tensor<4xf8E5M2> {heddle.name = "f8"}, %e: tensor<4xbf16> {heddle.name = "bf16"}, %f: tensor<4xi1> {heddle.name = "i1"},
    %g: tensor<4xcomplex<f32>> {heddle.name = "c64"}, %h: tensor<4xi8> {heddle.name = "i8"}, %s: tensor<4xui16> {heddle.name = "before"})
    -> (tensor<4xui8>, tensor<4xi4>, tensor<4xui4>, tensor<4xf8E5M2>, tensor<4xbf16>, tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xi8>,
        tensor<4xui16> {heddle.name = "after"}) {
  %0 = stablehlo.add %a, %a : tensor<4xui8>
  %1 = stablehlo.add %b, %b : tensor<4xi4>
  %2 = stablehlo.add %c, %c : tensor<4xui4>
  %3 = stablehlo.add %d, %d : tensor<4xf8E5M2>
  %4 = stablehlo.add %e, %e : tensor<4xbf16>
  %5 = stablehlo.not %f : tensor<4xi1>
  %6 = stablehlo.multiply %g, %g : tensor<4xcomplex<f32>>
  %7 = stablehlo.add %h, %h : tensor<4xi8>
  %8 = stablehlo.add %s, %s : tensor<4xui16>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8
    : tensor<4xui8>, tensor<4xi4>, tensor<4xui4>, tensor<4xf8E5M2>, tensor<4xbf16>, tensor<4xi1>, tensor<4xcomplex<f32>>, tensor<4xi8>, tensor<4xui16>
}
//--- donated.mlir
func.func @main(%x: tensor<4xui8> {heddle.name = "x", jax.buffer_donor = true}, %y: tensor<4xi8> {heddle.name = "y"}) -> (tensor<4xi8>, tensor<4xui8>) {
  %0 = stablehlo.add %y, %y : tensor<4xi8>
  %1 = stablehlo.add %x, %x : tensor<4xui8>
  return %0, %1 : tensor<4xi8>, tensor<4xui8>
}
