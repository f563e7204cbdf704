// Quantized tensors of a byte and of half a one, with and without a sign: each stage computes the same.
// RUN: heddle compare --stages --bisect %s | FileCheck %s
// CHECK: stage heddle-lower, interpreted:
// CHECK-NOT: WRONG
// CHECK: the program computes the same up to heddle-dispatch
func.func @main(%x: tensor<16xui8>, %y: tensor<16xi4>, %v: tensor<16xui4>, %r: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xui4>, tensor<16xi4>) {
  // All that four bits hold, whatever the arguments are.
  %bytes = stablehlo.constant dense<[0, 17, 34, 51, 68, 85, 102, 119, 136, 153, 170, 187, 204, 221, 238, 255]> : tensor<16xui8>
  %signed = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, -8, -7, -6, -5, -4, -3, -2, -1]> : tensor<16xi4>
  %unsigned = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]> : tensor<16xui4>
  %a = stablehlo.add %x, %bytes : tensor<16xui8>
  %b = stablehlo.add %y, %signed : tensor<16xi4>
  %c = stablehlo.add %v, %unsigned : tensor<16xui4>
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %t = stablehlo.constant dense<0.0625> : tensor<f32>
  %z8 = stablehlo.constant dense<200> : tensor<ui8>
  %z4 = stablehlo.constant dense<-3> : tensor<i4>
  %u4 = stablehlo.constant dense<9> : tensor<ui4>
  %0 = prec.dequantize %a, %s, %z8 : tensor<16xui8>, tensor<f32>, tensor<ui8> -> tensor<16xf32>
  %1 = prec.dequantize %b, %s, %z4 : tensor<16xi4>, tensor<f32>, tensor<i4> -> tensor<16xf32>
  %2 = prec.dequantize %c, %s, %u4 : tensor<16xui4>, tensor<f32>, tensor<ui4> -> tensor<16xf32>
  %3 = prec.quantize %r, %t, %u4 rounding nearest_even range 0 to 15 : tensor<16xf32>, tensor<f32>, tensor<ui4> -> tensor<16xui4>
  %4 = prec.quantize %r, %t, %z4 rounding nearest_even range -8 to 7 : tensor<16xf32>, tensor<f32>, tensor<i4> -> tensor<16xi4>
  return %0, %1, %2, %3, %4 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xui4>, tensor<16xi4>
}
