// Quantized types that programs may have, in the operations that know about scales along an axis.
// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

!t = !quant.uniform<i8:f32, 5.000000e-01:3>
!u = !quant.uniform<i8:f32, 2.500000e-01:-1>
!a = !quant.uniform<i8:f32:1, {5.000000e-01:3,2.500000e-01:-1}>
!b = !quant.uniform<i8:f32:1, {1.000000e+00,2.000000e+00}>
!first = !quant.uniform<i8:f32:0, {5.000000e-01:3,2.500000e-01:-1}>
!one = !quant.uniform<i8:f32:0, {5.000000e-01:3}>
!same = !quant.uniform<i8:f32:0, {5.000000e-01:3,5.000000e-01:3}>
!wide = !quant.uniform<i32:f32, 5.000000e-01:3>

// Scales and zero points may differ; one operand alone may have them along an axis.
// CHECK-LABEL: func.func @add
func.func @add(%t: tensor<3x2x!t>, %u: tensor<3x2x!u>, %a: tensor<3x2x!a>) {
  // CHECK-NEXT: stablehlo.add
  %0 = stablehlo.add %t, %u : (tensor<3x2x!t>, tensor<3x2x!u>) -> tensor<3x2x!u>
  // CHECK-NEXT: stablehlo.add
  %1 = stablehlo.add %a, %t : (tensor<3x2x!a>, tensor<3x2x!t>) -> tensor<3x2x!b>
  // CHECK-NEXT: stablehlo.multiply
  %2 = stablehlo.multiply %t, %u : (tensor<3x2x!t>, tensor<3x2x!u>) -> tensor<3x2x!t>
  // CHECK-NEXT: stablehlo.compare
  %3 = stablehlo.compare LT, %t, %u : (tensor<3x2x!t>, tensor<3x2x!u>) -> tensor<3x2xi1>
  return
}

// CHECK-LABEL: func.func @moved
func.func @moved(%a: tensor<3x2x!a>, %first: tensor<2x!first>, %one: tensor<1x!one>, %open: tensor<?x?x!a>) {
  // CHECK-NEXT: stablehlo.transpose
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<3x2x!a>) -> tensor<2x3x!first>
  // CHECK-NEXT: stablehlo.reshape
  %1 = stablehlo.reshape %first : (tensor<2x!first>) -> tensor<1x2x1x!a>
  // CHECK-NEXT: stablehlo.broadcast_in_dim
  %2 = stablehlo.broadcast_in_dim %first, dims = [1] : (tensor<2x!first>) -> tensor<3x2x!a>
  // CHECK-NEXT: stablehlo.broadcast_in_dim
  %3 = stablehlo.broadcast_in_dim %one, dims = [0] : (tensor<1x!one>) -> tensor<2x!same>
  // CHECK-NEXT: stablehlo.reshape
  %4 = stablehlo.reshape %open : (tensor<?x?x!a>) -> tensor<?x2x!a>
  return
}

// Sums may be held in wider integers.
// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<3x2x!t>, %init: tensor<!t>) -> tensor<3x!wide> {
  // CHECK-NEXT: stablehlo.reduce
  %0 = "stablehlo.reduce"(%x, %init) <{dimensions = array<i64: 1>}> ({
  ^bb0(%a: tensor<!wide>, %b: tensor<!wide>):
    %s = stablehlo.add %a, %b : tensor<!wide>
    stablehlo.return %s : tensor<!wide>
  }) : (tensor<3x2x!t>, tensor<!t>) -> tensor<3x!wide>
  return %0 : tensor<3x!wide>
}
