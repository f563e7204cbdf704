// Types of arguments that bound a size: the program compiles as it is, for each size up to the bound.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare shared.mlir
// RUN: heddle compile shared.mlir
// RUN: heddle inspect shared.heddle | FileCheck %s --check-prefix=SHARED
// RUN: heddle compare turned.mlir
// RUN: heddle inspect joined.mlir | FileCheck %s --check-prefix=JOINED
// RUN: heddle inspect turned.mlir | FileCheck %s --check-prefix=TURNED
// RUN: heddle compile joined.mlir && heddle inspect joined.heddle | FileCheck %s --check-prefix=JOINED
// RUN: heddle compare joined.mlir
// RUN: heddle compare cut.mlir
// RUN: heddle compile one.mlir --shape arg0=3x4 && heddle inspect one.heddle | FileCheck %s --check-prefix=FIXED
// RUN: heddle compile one.mlir --shape arg0=2..6x4 && heddle inspect one.heddle | FileCheck %s --check-prefix=NARROWER
// RUN: heddle compare many.mlir
// RUN: heddle compare empty.mlir
// RUN: heddle compare strided.mlir && heddle compile strided.mlir && heddle inspect strided.heddle | FileCheck %s --check-prefix=STRIDED
// RUN: heddle test one.mlir | FileCheck %s --check-prefix=TESTED

// One size, within both bounds, because the sum wants that.
// SHARED: input  arg0 {{.*}} 0..5x4
// SHARED: input  arg1 {{.*}} 0..5x4
// SHARED: output out0 {{.*}} 0..5x4
//--- shared.mlir
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %y: tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> (tensor<?x4xf32, #stablehlo.bounds<5, ?>>, tensor<4xf32>, tensor<i32>) {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.add %x, %y : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<5, ?>>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<4xf32>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<i32>
  return %0, %1, %n : tensor<?x4xf32, #stablehlo.bounds<5, ?>>, tensor<4xf32>, tensor<i32>
}

// Bounds inside.
// TURNED: input  arg0 {{.*}} 0..6x0..5
// TURNED: output out0 {{.*}} 0..5x0..6
//--- turned.mlir
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<6, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 6>> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32, #stablehlo.bounds<6, 5>>) -> tensor<?x?xf32, #stablehlo.bounds<5, 6>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<5, 6>>
}

// Sizes that have nothing to do with each other.
// JOINED: input  arg0 {{.*}} 0..8x4
// JOINED: input  arg1 {{.*}} 0..5x4
// JOINED: output out0 {{.*}} 0..13x4
//--- joined.mlir
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>, %y: tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<13, ?>> {
  %0 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<?x4xf32, #stablehlo.bounds<5, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<13, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<13, ?>>
}

// A tensor of known size, cut to a size of another.
//--- cut.mlir
func.func @main(%x: tensor<8x4xf32>, %y: tensor<?xf32, #stablehlo.bounds<6>>) -> tensor<4xf32> {
  %n = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?xf32, #stablehlo.bounds<6>>) -> tensor<i32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<8x4xf32>, tensor<i32>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  %1 = stablehlo.reduce(%0 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// What the options say of an argument counts.
// FIXED: input  arg0 {{.*}} 3x4
// NARROWER: input  arg0 {{.*}} 2..6x4
// TESTED: 1 passed, 0 failed
//--- one.mlir
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32, #stablehlo.bounds<8, ?>> {
  %0 = stablehlo.negate %x : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
  return %0 : tensor<?x4xf32, #stablehlo.bounds<8, ?>>
}

// More arguments than sizes that a program may have.
//--- many.mlir
func.func @main(%a: tensor<?xi32, #stablehlo.bounds<4>>, %b: tensor<?xi32, #stablehlo.bounds<4>>, %c: tensor<?xi32, #stablehlo.bounds<4>>, %d: tensor<?xi32, #stablehlo.bounds<4>>, %e: tensor<?xi32, #stablehlo.bounds<7>>) -> tensor<?xi32, #stablehlo.bounds<4>> {
  %0 = stablehlo.add %a, %b : tensor<?xi32, #stablehlo.bounds<4>>
  %1 = stablehlo.multiply %c, %d : tensor<?xi32, #stablehlo.bounds<4>>
  %2 = stablehlo.subtract %0, %1 : tensor<?xi32, #stablehlo.bounds<4>>
  %3 = stablehlo.and %2, %e : (tensor<?xi32, #stablehlo.bounds<4>>, tensor<?xi32, #stablehlo.bounds<7>>) -> tensor<?xi32, #stablehlo.bounds<4>>
  return %3 : tensor<?xi32, #stablehlo.bounds<4>>
}

// Bounds of 0 and 1.
//--- empty.mlir
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<0, 1>>) -> tensor<?x?xf32, #stablehlo.bounds<0, 1>> {
  %0 = stablehlo.negate %x : tensor<?x?xf32, #stablehlo.bounds<0, 1>>
  return %0 : tensor<?x?xf32, #stablehlo.bounds<0, 1>>
}

// Sizes that are quotients, of strides over a bounded dimension, one after the other and beside the size itself.
// STRIDED: output out0 {{.*}} 1x0..50x4
// STRIDED: output out1 {{.*}} 0..250
//--- strided.mlir
func.func @main(%x: tensor<1x?x2xf32, #stablehlo.bounds<?, 200, ?>>, %w: tensor<3x2x4xf32>, %v: tensor<3x4x4xf32>, %y: tensor<?xf32, #stablehlo.bounds<200>>) -> (tensor<1x?x4xf32>, tensor<?xf32>) {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x2xf32, #stablehlo.bounds<?, 200, ?>>, tensor<3x2x4xf32>) -> tensor<1x?x4xf32>
  %1 = stablehlo.convolution(%0, %v) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x?x4xf32>, tensor<3x4x4xf32>) -> tensor<1x?x4xf32>
  %same = stablehlo.get_dimension_size %x, dim = 1 : (tensor<1x?x2xf32, #stablehlo.bounds<?, 200, ?>>) -> tensor<i32>
  %shape = stablehlo.reshape %same : (tensor<i32>) -> tensor<1xi32>
  %iota = stablehlo.dynamic_iota %shape, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.add %iota, %y : (tensor<?xf32>, tensor<?xf32, #stablehlo.bounds<200>>) -> tensor<?xf32, #stablehlo.bounds<200>>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %3 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = [0, 2] : (tensor<1x?x4xf32>, tensor<f32>) -> tensor<?xf32>
  %4 = stablehlo.concatenate %3, %2, dim = 0 : (tensor<?xf32>, tensor<?xf32, #stablehlo.bounds<200>>) -> tensor<?xf32>
  return %1, %4 : tensor<1x?x4xf32>, tensor<?xf32>
}
