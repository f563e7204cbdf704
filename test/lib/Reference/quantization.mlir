// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @main() {
  %x = stablehlo.constant dense<[1.0, -0.25, 100.0, 0x7FC00000]> : tensor<4xf32>
  // Ties go to even, what is too large to the last stored value.
  %q = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:1>>
  %d = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4xf32>
  "check.expect_eq_const"(%d) {value = dense<[1.0, 0.0, 63.0, -0.5]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  %s = stablehlo.add %q, %q : (tensor<4x!quant.uniform<i8:f32, 0.5:1>>, tensor<4x!quant.uniform<i8:f32, 0.5:1>>) -> tensor<4x!quant.uniform<i8:f32, 1.0>>
  %e = stablehlo.uniform_dequantize %s : (tensor<4x!quant.uniform<i8:f32, 1.0>>) -> tensor<4xf32>
  "check.expect_eq_const"(%e) {value = dense<[2.0, 0.0, 126.0, -1.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  return
}
