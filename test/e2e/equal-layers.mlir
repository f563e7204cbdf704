// Layers that differ by numbers alone (scales, zero points, one of them 0; an epsilon) are one kernel, launched once each
// with its own numbers, and compute what the interpreter does. The numbers reach kernels of contractions, of elements and
// of rows, in f32, f64 and i32.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compile quantized.mlir -o quantized.heddle | FileCheck %s --check-prefix=QUANTIZED
// RUN: heddle compare quantized.mlir
// RUN: heddle compile numbers.mlir -o numbers.heddle | FileCheck %s --check-prefix=NUMBERS
// RUN: heddle compare numbers.mlir
// RUN: heddle compare --stages numbers.mlir
// RUN: heddle compare --stages quantized.mlir
// RUN: heddle compile extremes.mlir -o extremes.heddle
// RUN: heddle compare extremes.mlir --input 0=0 --input 1=0 --input 2=0
// RUN: heddle run extremes.heddle --input 0=0 --input 1=0 --input 2=0 | FileCheck %s --check-prefix=EXTREMES
// RUN: heddle inspect numbers.heddle --show=plan | FileCheck %s --check-prefix=PLAN

// QUANTIZED: kernels  1, launched 3 times
// NUMBERS: kernels  3, launched 6 times
// PLAN: integers
// EXTREMES: out0: i64 99, from 9.22337e+18 to 9.22337e+18
// EXTREMES: out1: i64 99, from 3 to 3
// EXTREMES: out2: i64 99, from -9.22337e+18 to -9.22337e+18

//--- quantized.mlir
!a = !quant.uniform<i8:f32, 3.100000e-02:-5>
!b = !quant.uniform<i8:f32, 1.700000e-02:0>
!c = !quant.uniform<i8:f32, 5.300000e-02:90>
func.func @main(%x: tensor<7x32xf32>, %w0: tensor<32x32xf32>, %w1: tensor<32x32xf32>, %w2: tensor<32x32xf32>) -> tensor<7x32xf32> {
  %0 = stablehlo.dot_general %x, %w0, contracting_dims = [1] x [0] : (tensor<7x32xf32>, tensor<32x32xf32>) -> tensor<7x32xf32>
  %1 = stablehlo.uniform_quantize %0 : (tensor<7x32xf32>) -> tensor<7x32x!a>
  %2 = stablehlo.uniform_dequantize %1 : (tensor<7x32x!a>) -> tensor<7x32xf32>
  %3 = stablehlo.dot_general %2, %w1, contracting_dims = [1] x [0] : (tensor<7x32xf32>, tensor<32x32xf32>) -> tensor<7x32xf32>
  %4 = stablehlo.uniform_quantize %3 : (tensor<7x32xf32>) -> tensor<7x32x!b>
  %5 = stablehlo.uniform_dequantize %4 : (tensor<7x32x!b>) -> tensor<7x32xf32>
  %6 = stablehlo.dot_general %5, %w2, contracting_dims = [1] x [0] : (tensor<7x32xf32>, tensor<32x32xf32>) -> tensor<7x32xf32>
  %7 = stablehlo.uniform_quantize %6 : (tensor<7x32xf32>) -> tensor<7x32x!c>
  %8 = stablehlo.uniform_dequantize %7 : (tensor<7x32x!c>) -> tensor<7x32xf32>
  return %8 : tensor<7x32xf32>
}

//--- numbers.mlir
func.func @main(%x: tensor<5x67xf32>, %y: tensor<5x67xf32>, %d: tensor<201xf64>, %i: tensor<99xi32>)
    -> (tensor<5x67xf32>, tensor<5x67xf32>, tensor<201xf64>, tensor<201xf64>, tensor<99xi32>, tensor<99xi32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %e0 = stablehlo.constant dense<1.0e-5> : tensor<5x1xf32>
  %e1 = stablehlo.constant dense<2.0e-3> : tensor<5x1xf32>
  %0 = stablehlo.multiply %x, %x : tensor<5x67xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x67xf32>, tensor<f32>) -> tensor<5xf32>
  %2 = stablehlo.reshape %1 : (tensor<5xf32>) -> tensor<5x1xf32>
  %3 = stablehlo.add %2, %e0 : tensor<5x1xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x67xf32>
  %5 = stablehlo.divide %x, %4 : tensor<5x67xf32>
  %6 = stablehlo.multiply %y, %y : tensor<5x67xf32>
  %7 = stablehlo.reduce(%6 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x67xf32>, tensor<f32>) -> tensor<5xf32>
  %8 = stablehlo.reshape %7 : (tensor<5xf32>) -> tensor<5x1xf32>
  %9 = stablehlo.add %8, %e1 : tensor<5x1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<5x1xf32>) -> tensor<5x67xf32>
  %11 = stablehlo.divide %y, %10 : tensor<5x67xf32>
  %d0 = stablehlo.constant dense<0.1> : tensor<201xf64>
  %d1 = stablehlo.constant dense<-7.0> : tensor<201xf64>
  %12 = stablehlo.maximum %d, %d0 : tensor<201xf64>
  %13 = stablehlo.maximum %d, %d1 : tensor<201xf64>
  %i0 = stablehlo.constant dense<-2147483648> : tensor<99xi32>
  %i1 = stablehlo.constant dense<3> : tensor<99xi32>
  %14 = stablehlo.add %i, %i0 : tensor<99xi32>
  %15 = stablehlo.add %i, %i1 : tensor<99xi32>
  return %5, %11, %12, %13, %14, %15 : tensor<5x67xf32>, tensor<5x67xf32>, tensor<201xf64>, tensor<201xf64>, tensor<99xi32>, tensor<99xi32>
}

//--- extremes.mlir
func.func @main(%x: tensor<99xi64>, %y: tensor<99xi64>, %z: tensor<99xi64>) -> (tensor<99xi64>, tensor<99xi64>, tensor<99xi64>) {
  %a = stablehlo.constant dense<9223372036854775807> : tensor<99xi64>
  %b = stablehlo.constant dense<3> : tensor<99xi64>
  %c = stablehlo.constant dense<-9223372036854775808> : tensor<99xi64>
  %0 = stablehlo.add %x, %a : tensor<99xi64>
  %1 = stablehlo.add %y, %b : tensor<99xi64>
  %2 = stablehlo.add %z, %c : tensor<99xi64>
  return %0, %1, %2 : tensor<99xi64>, tensor<99xi64>, tensor<99xi64>
}
