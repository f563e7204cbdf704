// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @unary
func.func @unary(%f: tensor<2x?xf32>, %i: tensor<4xi8>, %p: tensor<i1>, %c: tensor<3xcomplex<f64>>) {
  // CHECK-NEXT: stablehlo.abs %{{.*}} : tensor<2x?xf32>
  %0 = stablehlo.abs %f : tensor<2x?xf32>
  // CHECK-NEXT: stablehlo.abs %{{.*}} : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %1 = stablehlo.abs %c : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  // CHECK-NEXT: stablehlo.exponential %{{.*}} {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x?xf32>
  %2 = stablehlo.exponential %f {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x?xf32>
  // CHECK-NEXT: stablehlo.popcnt %{{.*}} : tensor<4xi8>
  %3 = stablehlo.popcnt %i : tensor<4xi8>
  // CHECK-NEXT: stablehlo.not %{{.*}} : tensor<i1>
  %4 = stablehlo.not %p : tensor<i1>
  // CHECK-NEXT: stablehlo.real %{{.*}} : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  %5 = stablehlo.real %c : (tensor<3xcomplex<f64>>) -> tensor<3xf64>
  // CHECK-NEXT: stablehlo.is_finite %{{.*}} : (tensor<2x?xf32>) -> tensor<2x?xi1>
  %6 = stablehlo.is_finite %f : (tensor<2x?xf32>) -> tensor<2x?xi1>
  // CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<4xi8>) -> tensor<4xbf16>
  %7 = stablehlo.convert %i : (tensor<4xi8>) -> tensor<4xbf16>
  // CHECK-NEXT: stablehlo.reduce_precision %{{.*}}, format = e5m10 : tensor<2x?xf32>
  %8 = stablehlo.reduce_precision %f, format = e5m10 : tensor<2x?xf32>
  // The long form of the same.
  // CHECK-NEXT: stablehlo.cosine %{{.*}} : tensor<2x?xf32>
  %9 = "stablehlo.cosine"(%f) : (tensor<2x?xf32>) -> tensor<2x?xf32>
  return
}

// CHECK-LABEL: func.func @binary
func.func @binary(%a: tensor<2x3xf32>, %b: tensor<?x3xf32>, %u: tensor<2xui16>) {
  // CHECK-NEXT: stablehlo.add %{{.*}} : tensor<2x3xf32>
  %0 = stablehlo.add %a, %a : tensor<2x3xf32>
  // What one operand knows, the result knows.
  // CHECK-NEXT: stablehlo.add %{{.*}} : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.add %b, %a : (tensor<?x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.shift_right_logical %{{.*}} : tensor<2xui16>
  %2 = stablehlo.shift_right_logical %u, %u : tensor<2xui16>
  // CHECK-NEXT: stablehlo.complex %{{.*}} : tensor<2x3xcomplex<f32>>
  %3 = stablehlo.complex %a, %a : tensor<2x3xcomplex<f32>>
  // CHECK-NEXT: stablehlo.compare LT, %{{.*}}, %{{.*}}, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %4 = stablehlo.compare LT, %a, %a, TOTALORDER : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  // CHECK-NEXT: stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<2xui16>, tensor<2xui16>) -> tensor<2xi1>
  %5 = stablehlo.compare EQ, %u, %u : (tensor<2xui16>, tensor<2xui16>) -> tensor<2xi1>
  return
}

// CHECK-LABEL: func.func @ternary
func.func @ternary(%p: tensor<i1>, %q: tensor<2xi1>, %s: tensor<f32>, %x: tensor<2xf32>) {
  // CHECK-NEXT: stablehlo.clamp %{{.*}} : tensor<2xf32>
  %0 = stablehlo.clamp %x, %x, %x : tensor<2xf32>
  // CHECK-NEXT: stablehlo.clamp %{{.*}} : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.clamp %s, %x, %s : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.select %{{.*}} : tensor<i1>, tensor<2xf32>
  %2 = stablehlo.select %p, %x, %x : tensor<i1>, tensor<2xf32>
  // CHECK-NEXT: stablehlo.select %{{.*}} : tensor<2xi1>, tensor<2xf32>
  %3 = stablehlo.select %q, %x, %x : (tensor<2xi1>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @quantized
// CHECK-SAME: tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
func.func @quantized(%x: tensor<4xf32>, %q: tensor<4x!quant.uniform<i8:f32, 0.5:3>>) {
  // CHECK-NEXT: stablehlo.uniform_quantize %{{.*}} : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %0 = stablehlo.uniform_quantize %x : (tensor<4xf32>) -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK-NEXT: stablehlo.uniform_dequantize %{{.*}} : (tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>) -> tensor<4xf32>
  %1 = stablehlo.uniform_dequantize %q : (tensor<4x!quant.uniform<i8:f32, 0.5:3>>) -> tensor<4xf32>
  // CHECK-NEXT: stablehlo.add %{{.*}} : tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %2 = stablehlo.add %q, %q : tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  return
}
