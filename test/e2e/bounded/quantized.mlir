// Quantized numbers of sizes that each call chooses: along rows, along the dimension that has a scale for each index, and where they are summed.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare rows.mlir --shape arg0=0..33x64 | FileCheck %s
// RUN: heddle compare terms.mlir --shape arg0=1..40x24 | FileCheck %s
// RUN: heddle compare channels.mlir --shape arg0=1..9x4 | FileCheck %s
// CHECK: ok
// CHECK-NOT: WRONG

//--- rows.mlir
func.func @main(%x: tensor<?x64xf32>, %w: tensor<64x16x!quant.uniform<i8:f32:1, {0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.09,0.1,0.11,0.12,0.13,0.14,0.15,0.16}>>) -> tensor<?x16xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<?x64xf32>) -> tensor<?x64x!quant.uniform<u8:f32, 0.01:100>>
  %d = stablehlo.uniform_dequantize %q : (tensor<?x64x!quant.uniform<u8:f32, 0.01:100>>) -> tensor<?x64xf32>
  %v = stablehlo.uniform_dequantize %w : (tensor<64x16x!quant.uniform<i8:f32:1, {0.01,0.02,0.03,0.04,0.05,0.06,0.07,0.08,0.09,0.1,0.11,0.12,0.13,0.14,0.15,0.16}>>) -> tensor<64x16xf32>
  %0 = stablehlo.dot_general %d, %v, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}

//--- terms.mlir
// What lies beyond a call's size is no zero once it is dequantized.
func.func @main(%x: tensor<?x24xf32>) -> (tensor<24x24xf32>, tensor<24xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.uniform_quantize %x : (tensor<?x24xf32>) -> tensor<?x24x!quant.uniform<i8:f32, 0.02:-128>>
  %d = stablehlo.uniform_dequantize %q : (tensor<?x24x!quant.uniform<i8:f32, 0.02:-128>>) -> tensor<?x24xf32>
  %e = stablehlo.exponential %d : tensor<?x24xf32>
  %0 = stablehlo.dot_general %e, %d, contracting_dims = [0] x [0] : (tensor<?x24xf32>, tensor<?x24xf32>) -> tensor<24x24xf32>
  %1 = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x24xf32>, tensor<f32>) -> tensor<24xf32>
  return %0, %1 : tensor<24x24xf32>, tensor<24xf32>
}

//--- channels.mlir
func.func @main(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %q = stablehlo.uniform_quantize %x : (tensor<?x4xf32>) -> tensor<?x4x!quant.uniform<i8:f32:1, {0.01:3,0.02,0.03:-7,0.04}>>
  %d = stablehlo.uniform_dequantize %q : (tensor<?x4x!quant.uniform<i8:f32:1, {0.01:3,0.02,0.03:-7,0.04}>>) -> tensor<?x4xf32>
  return %d : tensor<?x4xf32>
}
