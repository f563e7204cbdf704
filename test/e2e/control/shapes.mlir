// Sizes that follow from constants are known when compiling; one that only the call knows is refused by name where nothing bounds it.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare computed.mlir
// RUN: heddle compare cut.mlir
// RUN: %exits 3 heddle compile open.mlir 2>&1 | FileCheck %s --check-prefix=OPEN

// OPEN: no kernel for 'stablehlo.set_dimension_size': a shape is not known before the call
// RUN: sed '/set_dimension_size/s/$/ loc("crop")/' open.mlir > named.mlir
// RUN: %exits 3 heddle compile named.mlir 2>&1 | FileCheck %s --check-prefix=NAMED
// NAMED: named.mlir: crop: error[HDL-0501]: has no kernel: a shape is not known before the call ['stablehlo.set_dimension_size']

//--- computed.mlir
func.func @main(%x: tensor<2x6xf32>, %w: tensor<3x2xf32>) -> (tensor<4x2xf32>, tensor<6x6xf32>, tensor<2x3xf32>) {
  %s = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %x, %s : (tensor<2x6xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %1 = stablehlo.exponential %0 : tensor<?x?xf32>
  %n = stablehlo.get_dimension_size %1, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %nn = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %three = stablehlo.constant dense<3> : tensor<1xi32>
  %sh = stablehlo.concatenate %nn, %three, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %2 = stablehlo.dynamic_iota %sh, dim = 0 : (tensor<2xi32>) -> tensor<?x?xi32>
  %f = stablehlo.convert %2 : (tensor<?x?xi32>) -> tensor<?x?xf32>
  %3 = stablehlo.add %1, %f : tensor<?x?xf32>
  %4 = stablehlo.dot_general %3, %w, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<3x2xf32>) -> tensor<?x2xf32>
  %s4 = stablehlo.constant dense<[4, 2]> : tensor<2xi32>
  %5 = stablehlo.dynamic_reshape %4, %s4 : (tensor<?x2xf32>, tensor<2xi32>) -> tensor<4x2xf32>
  %one = stablehlo.constant dense<1> : tensor<2xi32>
  %zero = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %c = stablehlo.constant dense<9.0> : tensor<f32>
  %p = stablehlo.dynamic_pad %3, %c, %one, %one, %zero : (tensor<?x?xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %s6 = stablehlo.constant dense<[6, 7]> : tensor<2xi32>
  %q = stablehlo.dynamic_reshape %p, %s6 : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<6x7xf32>
  %r = stablehlo.slice %q [0:6, 0:6] : (tensor<6x7xf32>) -> tensor<6x6xf32>
  %lim = stablehlo.constant dense<[4, 3]> : tensor<2xi32>
  %str = stablehlo.constant dense<[2, 1]> : tensor<2xi32>
  %zz = stablehlo.constant dense<0> : tensor<2xi32>
  %t = stablehlo.real_dynamic_slice %3, %zz, %lim, %str : (tensor<?x?xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %s23 = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %u = stablehlo.dynamic_reshape %t, %s23 : (tensor<?x?xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return %5, %r, %u : tensor<4x2xf32>, tensor<6x6xf32>, tensor<2x3xf32>
}

//--- cut.mlir
func.func @main(%x: tensor<5x3xf32>) -> tensor<3xf32> {
  %n = stablehlo.constant dense<2> : tensor<i32>
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<5x3xf32>, tensor<i32>) -> tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  %1 = stablehlo.exponential %y : tensor<?x3xf32, #stablehlo.bounds<5, ?>>
  %2 = stablehlo.reduce(%1 init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32, #stablehlo.bounds<5, ?>>, tensor<f32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

//--- open.mlir
// A size that only the call knows, without a bound.
func.func @main(%x: tensor<5x3xf32>, %n: tensor<i32>) -> tensor<3xf32> {
  %c = stablehlo.constant dense<0.0> : tensor<f32>
  %y = stablehlo.set_dimension_size %x, %n, dim = 0 : (tensor<5x3xf32>, tensor<i32>) -> tensor<?x3xf32>
  %2 = stablehlo.reduce(%y init: %c) applies stablehlo.add across dimensions = [0] : (tensor<?x3xf32>, tensor<f32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
