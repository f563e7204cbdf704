// Quotients that are no integers of their type, infinite or none at all are quantized as the interpreter has them, with zero points at both ends of
// a range: what is far outside saturates though it is not brought near before a zero point is added.
// REQUIRES: python-numpy
// RUN: %python -c "import numpy as n; n.save(r'%t.npy', n.array([n.nan, n.inf, -n.inf, 3e38, -3e38, 1e20, -1e20, 2**24, -2**24, 2**23 + 1, 1e-45, -1e-45, 0, -0.0, 0.25, 0.75, -0.25, -0.75, 27.25, 27.5, 27.75, -100.25, -100, -99.75, 127, 128, 15000, 31383.5, 31383.75, -1384, -1384.25, 65536, -65536, 1, 2, 3, 4, 5, 1e9, -1e9], 'f'))"
// RUN: heddle compare %s -t x86-64-v2 --input 0=@%t.npy 2>&1 | FileCheck %s
// RUN: heddle compare %s -t native --input 0=@%t.npy 2>&1 | FileCheck %s
// CHECK-COUNT-4: ok {{.*}} largest difference 0.00e+00
func.func @main(%x: tensor<40xf32>) -> (tensor<40xui8>, tensor<40xi8>, tensor<40xi16>, tensor<40xi8>) {
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %t = stablehlo.constant dense<1.0e-30> : tensor<f32>
  %a = stablehlo.constant dense<200> : tensor<ui8>
  %b = stablehlo.constant dense<-128> : tensor<i8>
  %c = stablehlo.constant dense<-30000> : tensor<i16>
  %0 = prec.quantize %x, %s, %a rounding nearest_even range 0 to 255 : tensor<40xf32>, tensor<f32>, tensor<ui8> -> tensor<40xui8>
  %1 = prec.quantize %x, %t, %b rounding nearest_even range -128 to 127 : tensor<40xf32>, tensor<f32>, tensor<i8> -> tensor<40xi8>
  %2 = prec.quantize %x, %s, %c rounding nearest_even range -32768 to 32767 : tensor<40xf32>, tensor<f32>, tensor<i16> -> tensor<40xi16>
  %3 = prec.quantize %x, %s, %b rounding nearest_even range -128 to 127 : tensor<40xf32>, tensor<f32>, tensor<i8> -> tensor<40xi8>
  return %0, %1, %2, %3 : tensor<40xui8>, tensor<40xi8>, tensor<40xi16>, tensor<40xi8>
}
