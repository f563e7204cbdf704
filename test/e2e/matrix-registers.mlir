// Products in matrix registers beside the interpreter: batches of rows that fill no register, depths that do not come out even, zero points, what follows the sums, and bf16
// with an odd number of terms. Sums of bytes are exact, so that what is quantized behind them is equal.
// RUN: heddle compile -q %s -t x86-64-v4-amx -o %t.heddle
// RUN: heddle inspect %t.heddle | FileCheck %s
// CHECK: target x86-64-v4-amx:
// RUN: %if amx %{ heddle compare %s -t x86-64-v4-amx --threads 1 %}
// RUN: %if amx %{ heddle compare %s -t x86-64-v4-amx --threads 2 %}
// RUN: heddle compile -q %s -t x86-64-v3 -o %t.v3.heddle
// RUN: %if amx %{ heddle run -q %t.heddle --input 0=random:1 --input 1=random:2 --output %t.matrices %}
// RUN: %if amx %{ heddle run -q %t.v3.heddle --input 0=random:1 --input 1=random:2 --output %t.vectors %}
// RUN: %if amx %{ cmp %t.matrices/out0.npy %t.vectors/out0.npy %}
func.func @main(%a: tensor<3x50x132xui8>, %x: tensor<2x37x101xbf16>) -> (tensor<3x50x70xui8>, tensor<2x37x45xf32>, tensor<2x37x45xbf16>) {
  %i = stablehlo.iota dim = 0 : tensor<132x70xf32>
  %c = stablehlo.constant dense<[[0.5], [-1.5], [2.25]]> : tensor<3x1xf32>
  %r = stablehlo.broadcast_in_dim %c, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x3080xf32>
  %t = stablehlo.reshape %r : (tensor<3x3080xf32>) -> tensor<132x70xf32>
  %f = stablehlo.multiply %i, %t : tensor<132x70xf32>
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %wide = stablehlo.constant dense<37.0> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %seven = stablehlo.constant dense<7> : tensor<ui8>
  %middle = stablehlo.constant dense<128> : tensor<ui8>
  %q = prec.quantize %f, %s, %zero rounding nearest_even range -128 to 127 : tensor<132x70xf32>, tensor<f32>, tensor<i8> -> tensor<132x70xi8>
  %w = prec.dequantize %q, %s, %zero : tensor<132x70xi8>, tensor<f32>, tensor<i8> -> tensor<132x70xf32>
  %d = prec.dequantize %a, %s, %seven : tensor<3x50x132xui8>, tensor<f32>, tensor<ui8> -> tensor<3x50x132xf32>
  %0 = stablehlo.dot_general %d, %w, contracting_dims = [2] x [0] : (tensor<3x50x132xf32>, tensor<132x70xf32>) -> tensor<3x50x70xf32>
  %1 = prec.quantize %0, %wide, %middle rounding nearest_even range 0 to 255 : tensor<3x50x70xf32>, tensor<f32>, tensor<ui8> -> tensor<3x50x70xui8>

  %k = stablehlo.iota dim = 0 : tensor<101x45xbf16>
  %j = stablehlo.iota dim = 1 : tensor<101x45xbf16>
  %e = stablehlo.constant dense<[[0.5], [-1.5], [2.25], [-0.75], [1.0]]> : tensor<5x1xbf16>
  %h = stablehlo.broadcast_in_dim %e, dims = [0, 1] : (tensor<5x1xbf16>) -> tensor<5x909xbf16>
  %u = stablehlo.reshape %h : (tensor<5x909xbf16>) -> tensor<101x45xbf16>
  %p = stablehlo.subtract %k, %j : tensor<101x45xbf16>
  %v = stablehlo.multiply %p, %u : tensor<101x45xbf16>
  %2 = stablehlo.dot_general %x, %v, contracting_dims = [2] x [0] : (tensor<2x37x101xbf16>, tensor<101x45xbf16>) -> tensor<2x37x45xf32>
  %3 = stablehlo.dot_general %x, %v, contracting_dims = [2] x [0] : (tensor<2x37x101xbf16>, tensor<101x45xbf16>) -> tensor<2x37x45xbf16>
  %4 = stablehlo.logistic %3 : tensor<2x37x45xbf16>
  return %1, %2, %4 : tensor<3x50x70xui8>, tensor<2x37x45xf32>, tensor<2x37x45xbf16>
}
