// RUN: heddle-opt %s --heddle-import-quantized --split-input-file --verify-diagnostics | FileCheck %s

!q = !quant.uniform<i8:f32, 5.000000e-01:3>

// Arguments and results are the stored integers; what only moves elements works on them; tanh computes on what they mean.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xi8>) -> tensor<3x2xi8>
func.func @main(%x: tensor<2x3x!q>) -> tensor<3x2x!q> {
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[X]], dims = [1, 0] : (tensor<2x3xi8>) -> tensor<3x2xi8>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3x!q>) -> tensor<3x2x!q>
  // CHECK: %[[S:.*]] = stablehlo.constant dense<5.000000e-01> : tensor<f32>
  // CHECK: %[[Z:.*]] = stablehlo.constant dense<3> : tensor<i8>
  // CHECK: %[[D:.*]] = prec.dequantize %[[T]], %[[S]], %[[Z]] : tensor<3x2xi8>, tensor<f32>, tensor<i8> -> tensor<3x2xf32>
  // CHECK: %[[H:.*]] = stablehlo.tanh %[[D]] : tensor<3x2xf32>
  // CHECK: prec.quantize %[[H]], %{{.*}}, %{{.*}} rounding nearest_even range -128 to 127
  %1 = stablehlo.tanh %0 : tensor<3x2x!q>
  return %1 : tensor<3x2x!q>
}

// -----

// Sums of integers, with the scales of the kernel's features.
!u = !quant.uniform<u8:f32, 5.000000e-01:128>
!w = !quant.uniform<i8<-127:127>:f32:1, {2.500000e-01, 5.000000e-01}>
!r = !quant.uniform<i8:f32, 1.000000e+00>
// CHECK-LABEL: func.func @dot
func.func @dot(%x: tensor<3x4x!u>, %w: tensor<4x2x!w>) -> tensor<3x2x!r> {
  // CHECK: %[[Z:.*]] = stablehlo.constant dense<128> : tensor<ui8>
  // CHECK: %[[L:.*]] = prec.dequantize %{{.*}}, %{{.*}}, %[[Z]] : tensor<3x4xui8>, tensor<i32>, tensor<ui8> -> tensor<3x4xi32>
  // CHECK: %[[ONES:.*]] = stablehlo.constant dense<1> : tensor<2xi32>
  // CHECK: %[[R:.*]] = prec.dequantize %{{.*}}, %[[ONES]], %{{.*}} axis 1 : tensor<4x2xi8>, tensor<2xi32>, tensor<2xi8> -> tensor<4x2xi32>
  // CHECK: %[[D:.*]] = stablehlo.dot_general %[[L]], %[[R]], contracting_dims = [1] x [0] : (tensor<3x4xi32>, tensor<4x2xi32>) -> tensor<3x2xi32>
  // CHECK: %[[F:.*]] = stablehlo.convert %[[D]] : (tensor<3x2xi32>) -> tensor<3x2xf64>
  // CHECK: %[[S:.*]] = stablehlo.constant dense<[1.250000e-01, 2.500000e-01]> : tensor<2xf64>
  // CHECK: stablehlo.broadcast_in_dim %[[S]], dims = [1]
  // CHECK: prec.quantize %{{.*}} range -128 to 127 : tensor<3x2xf64>, tensor<f64>, tensor<i8> -> tensor<3x2xi8>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<3x4x!u>, tensor<4x2x!w>) -> tensor<3x2x!r>
  return %0 : tensor<3x2x!r>
}

// -----

// A reduction's region computes on real numbers.
!q = !quant.uniform<i8:f32, 5.000000e-01>
// CHECK-LABEL: func.func @reduce
func.func @reduce(%x: tensor<2x3x!q>, %init: tensor<!q>) -> tensor<2x!q> {
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK: prec.quantize
  %0 = stablehlo.reduce(%x init: %init) applies stablehlo.add across dimensions = [1] : (tensor<2x3x!q>, tensor<!q>) -> tensor<2x!q>
  return %0 : tensor<2x!q>
}

// -----

func.func @blocks(%x: tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:4}, {{1.0}, {2.0}}>>) -> tensor<4x4xf32> {
  // expected-error @below {{quantization per tensor and per axis is supported, not this one}}
  %0 = stablehlo.uniform_dequantize %x : (tensor<4x4x!quant.uniform<i8:f32:{0:2, 1:4}, {{1.0}, {2.0}}>>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
