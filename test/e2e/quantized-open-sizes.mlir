// A quantized type whose sizes are open, of a value whose sizes are known.
// RUN: heddle test %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped
func.func @main() -> tensor<?x?xf32> {
  %x = stablehlo.constant dense<[[1.5, -2.0, 7.0], [0.25, 0.5, -3.0]]> : tensor<2x3xf32>
  %0 = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<?x?x!quant.uniform<i8:f32, 0.25:-3>>
  %1 = stablehlo.uniform_dequantize %0 : (tensor<?x?x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<?x?xf32>
  %2 = stablehlo.custom_call @check.eq(%x, %1) : (tensor<2x3xf32>, tensor<?x?xf32>) -> tensor<i1>
  return %1 : tensor<?x?xf32>
}
