// A size that the operand knows and the result's type does not, behind a reshape whose own sizes stay open.
// RUN: %exits 3 heddle compile %s -o %t 2>&1 | FileCheck %s
// CHECK: error[HDL-0501]: no kernel for 'stablehlo.gather': a shape is not known before the call
// CHECK-NOT: HDL-0901
func.func @main(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>) -> tensor<?x?xf32> {
  %0 = stablehlo.uniform_quantize %x : (tensor<4x3xf32>) -> tensor<4x3x!quant.uniform<i8:f32, 0.25:-3>>
  %1 = stablehlo.reshape %0 : (tensor<4x3x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<?x?x!quant.uniform<i8:f32, 0.25:-3>>
  %2 = "stablehlo.gather"(%1, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<?x?x!quant.uniform<i8:f32, 0.25:-3>>, tensor<2x1xi32>) -> tensor<2x3x!quant.uniform<i8:f32, 0.25:-3>>
  %3 = stablehlo.uniform_dequantize %2 : (tensor<2x3x!quant.uniform<i8:f32, 0.25:-3>>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}
