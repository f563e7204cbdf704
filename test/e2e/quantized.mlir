// Quantized programs, compiled, against the interpreter, which computes by the specification's own words. Numbers that are
// halves of a step, far outside the range, infinite and NaN are among the inputs.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare elementwise.mlir
// RUN: heddle compare contraction.mlir
// RUN: heddle compare convolution.mlir
// RUN: heddle compare edges.mlir

//--- elementwise.mlir
!a = !quant.uniform<i8:f32, 3.100000e-02:-5>
!b = !quant.uniform<u8:f32, 1.700000e-02:130>
!c = !quant.uniform<i16:f32, 1.0e-3:7>
func.func @main(%x: tensor<7x33xf32>, %y: tensor<7x33xf32>) -> (tensor<7x33xf32>, tensor<33x7xf32>, tensor<7xf32>) {
  %0 = stablehlo.uniform_quantize %x : (tensor<7x33xf32>) -> tensor<7x33x!a>
  %1 = stablehlo.uniform_quantize %y : (tensor<7x33xf32>) -> tensor<7x33x!b>
  %2 = stablehlo.uniform_quantize %1 : (tensor<7x33x!b>) -> tensor<7x33x!a>
  %3 = stablehlo.multiply %0, %2 : tensor<7x33x!a>
  %4 = stablehlo.uniform_quantize %3 : (tensor<7x33x!a>) -> tensor<7x33x!c>
  %5 = stablehlo.tanh %4 : tensor<7x33x!c>
  %6 = stablehlo.uniform_dequantize %5 : (tensor<7x33x!c>) -> tensor<7x33xf32>
  %7 = stablehlo.transpose %1, dims = [1, 0] : (tensor<7x33x!b>) -> tensor<33x7x!b>
  %8 = stablehlo.uniform_dequantize %7 : (tensor<33x7x!b>) -> tensor<33x7xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %init = stablehlo.uniform_quantize %zero : (tensor<f32>) -> tensor<!c>
  %9 = stablehlo.reduce(%4 init: %init) applies stablehlo.maximum across dimensions = [1] : (tensor<7x33x!c>, tensor<!c>) -> tensor<7x!c>
  %10 = stablehlo.uniform_dequantize %9 : (tensor<7x!c>) -> tensor<7xf32>
  return %6, %8, %10 : tensor<7x33xf32>, tensor<33x7xf32>, tensor<7xf32>
}

//--- contraction.mlir
!x = !quant.uniform<u8:f32, 7.8125e-03:128>
!w = !quant.uniform<i8<-127:127>:f32:1, {1.5625e-02, 7.8125e-03, 3.125e-02}>
!r = !quant.uniform<i8:f32, 5.000000e-01:1>
func.func @main(%x: tensor<5x37xf32>, %w: tensor<37x3xf32>) -> tensor<5x3xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<5x37xf32>) -> tensor<5x37x!x>
  %1 = stablehlo.uniform_quantize %w : (tensor<37x3xf32>) -> tensor<37x3x!w>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0] : (tensor<5x37x!x>, tensor<37x3x!w>) -> tensor<5x3x!r>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<5x3x!r>) -> tensor<5x3xf32>
  return %3 : tensor<5x3xf32>
}

//--- convolution.mlir
!x = !quant.uniform<i8:f32, 1.5625e-02:-3>
!w = !quant.uniform<i8:f32:3, {1.5625e-02, 3.125e-02}>
!r = !quant.uniform<i8:f32, 2.500000e-01>
func.func @main(%x: tensor<1x9x9x4xf32>, %w: tensor<3x3x4x2xf32>) -> tensor<1x9x9x2xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<1x9x9x4xf32>) -> tensor<1x9x9x4x!x>
  %1 = stablehlo.uniform_quantize %w : (tensor<3x3x4x2xf32>) -> tensor<3x3x4x2x!w>
  %2 = stablehlo.convolution(%0, %1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x9x4x!x>, tensor<3x3x4x2x!w>) -> tensor<1x9x9x2x!r>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<1x9x9x2x!r>) -> tensor<1x9x9x2xf32>
  return %3 : tensor<1x9x9x2xf32>
}

//--- edges.mlir
!a = !quant.uniform<i8<-100:120>:f32, 5.000000e-01:10>
!b = !quant.uniform<i32:f32, 2.500000e-01:3>
func.func @main() -> (tensor<10xf32>, tensor<10xf32>, tensor<3xf32>) {
  %x = stablehlo.constant dense<[0.25, 0.75, -0.25, -1.25, 1.0e30, -1.0e30, 0x7F800000, 0xFF800000, 0x7FC00000, 6.0e8]> : tensor<10xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<10xf32>) -> tensor<10x!a>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<10x!a>) -> tensor<10xf32>
  %2 = stablehlo.uniform_quantize %x : (tensor<10xf32>) -> tensor<10x!b>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<10x!b>) -> tensor<10xf32>
  %c = "stablehlo.constant"() <{value = dense<[-128, 0, 127]> : tensor<3xi8>}> : () -> tensor<3x!quant.uniform<i8:f32, 5.0e-01:1>>
  %4 = stablehlo.uniform_dequantize %c : (tensor<3x!quant.uniform<i8:f32, 5.0e-01:1>>) -> tensor<3xf32>
  return %1, %3, %4 : tensor<10xf32>, tensor<10xf32>, tensor<3xf32>
}
