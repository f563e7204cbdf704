// Programs without checks are compiled, run on made-up inputs and compared with the interpreter: each module here is a
// file of its own.

// RUN: rm -rf %t && split-file %s %t
// RUN: heddle test --show-skipped %t/open.mlir %t/two.mlir %t/invalid.mlir %t/contradiction.mlir %t/unknown.mlir \
// RUN:   %t/quantized.mlir | FileCheck %s
// RUN: not heddle test %t/cancel.mlir | FileCheck --check-prefix=DIFFERS %s
// RUN: heddle test --interpret %t/open.mlir | FileCheck --check-prefix=INTERPRETED %s

// CHECK: invalid.mlir: skipped: meant to be invalid
// CHECK-NEXT: contradiction.mlir: skipped: [HDL-0305] the open sizes of @main cannot all be 3
// CHECK-NEXT: unknown.mlir: skipped: [HDL-0308] custom call 'nobody' is not known to heddle
// CHECK: 3 passed, 0 failed, 3 skipped

// INTERPRETED: skipped 1: no checks

//--- open.mlir
// The size comes as an argument, as older exporters of JAX write it; a call takes it along.
func.func @main(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x2x2xf32> {
  %0 = call @grow(%n, %x) : (tensor<i64>, tensor<?x4xf32>) -> tensor<?x2x2xf32>
  return %0 : tensor<?x2x2xf32>
}
func.func private @grow(%n: tensor<i64>, %x: tensor<?x4xf32>) -> tensor<?x2x2xf32> {
  %0 = stablehlo.convert %n : (tensor<i64>) -> tensor<i32>
  %1 = stablehlo.reshape %0 : (tensor<i32>) -> tensor<1xi32>
  %two = stablehlo.constant dense<2> : tensor<1xi32>
  %shape = stablehlo.concatenate %1, %two, %two, dim = 0 : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<3xi32>
  %2 = stablehlo.dynamic_reshape %x, %shape : (tensor<?x4xf32>, tensor<3xi32>) -> tensor<?x2x2xf32>
  %3 = stablehlo.exponential %2 : tensor<?x2x2xf32>
  return %3 : tensor<?x2x2xf32>
}
//--- two.mlir
func.func @first(%x: tensor<5xi32>) -> tensor<5xi32> {
  %0 = stablehlo.add %x, %x : tensor<5xi32>
  return %0 : tensor<5xi32>
}
func.func @second(%x: tensor<5xbf16>, %y: tensor<5xbf16>) -> (tensor<5xbf16>, tensor<5xi1>) {
  %0 = stablehlo.divide %x, %y : tensor<5xbf16>
  %1 = stablehlo.compare LT, %x, %y : (tensor<5xbf16>, tensor<5xbf16>) -> tensor<5xi1>
  return %0, %1 : tensor<5xbf16>, tensor<5xi1>
}
//--- invalid.mlir
func.func @main(%x: tensor<5xi32>) -> tensor<6xi32> {
  // expected-error @+1 {{}}
  %0 = stablehlo.reshape %x : (tensor<5xi32>) -> tensor<6xi32>
  return %0 : tensor<6xi32>
}
//--- contradiction.mlir
func.func @main(%x: tensor<?xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.add %x, %y : (tensor<?xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
//--- unknown.mlir
func.func @main(%x: tensor<5xi32>) -> tensor<5xi32> {
  %0 = stablehlo.custom_call @nobody(%x) : (tensor<5xi32>) -> tensor<5xi32>
  return %0 : tensor<5xi32>
}
//--- quantized.mlir
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>> {
  %0 = stablehlo.add %x, %x : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return %0 : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
}
//--- cancel.mlir
// What is left of a sum in f32 where all cancels depends on its order.
func.func @main(%x: tensor<99xf32>, %y: tensor<99xf32>) -> tensor<f32> {
  %large = stablehlo.constant dense<1.0e10> : tensor<99xf32>
  %0 = stablehlo.multiply %x, %large : tensor<99xf32>
  %1 = stablehlo.negate %0 : tensor<99xf32>
  %2 = stablehlo.concatenate %0, %1, dim = 0 : (tensor<99xf32>, tensor<99xf32>) -> tensor<198xf32>
  %3 = stablehlo.concatenate %y, %y, dim = 0 : (tensor<99xf32>, tensor<99xf32>) -> tensor<198xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [0] x [0] : (tensor<198xf32>, tensor<198xf32>) -> tensor<f32>
  return %4 : tensor<f32>
}
// DIFFERS: cancel.mlir: @main: out0 at [] {{.*}}, the interpreter has {{.*}}; 1 of 1 elements differ
// DIFFERS: 0 passed, 1 failed, 0 skipped
