// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @tensor
func.func @tensor(%x: tensor<2x3xf32>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2x3xf32> {
  // CHECK: %[[Q:.*]] = prec.quantize %{{.*}}, %{{.*}}, %{{.*}} rounding nearest_even range -127 to 127 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
  %q = prec.quantize %x, %s, %z rounding nearest_even range -127 to 127 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
  // CHECK: prec.dequantize %[[Q]], %{{.*}}, %{{.*}} : tensor<2x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x3xf32>
  %y = prec.dequantize %q, %s, %z : tensor<2x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Tensors of kernels hold integers without a sign.
// CHECK-LABEL: func.func @held
func.func @held(%q: tensor<2x3xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<2x3xi8> {
  // CHECK: prec.dequantize %{{.*}}, %{{.*}}, %{{.*}} {storage_type = ui8} :
  %y = prec.dequantize %q, %s, %z {storage_type = ui8} : tensor<2x3xi8>, tensor<f32>, tensor<i8> -> tensor<2x3xf32>
  // CHECK: prec.quantize %{{.*}} rounding nearest_even range 0 to 255 {storage_type = ui8} :
  %0 = prec.quantize %y, %s, %z rounding nearest_even range 0 to 255 {storage_type = ui8} : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: func.func @axis
func.func @axis(%x: tensor<2x3xbf16>, %s: tensor<3xbf16>, %z: tensor<3xui8>) -> tensor<2x3xbf16> {
  // CHECK: prec.quantize %{{.*}}, %{{.*}}, %{{.*}} axis 1 rounding toward_zero range 0 to 255
  %q = prec.quantize %x, %s, %z axis 1 rounding toward_zero range 0 to 255 : tensor<2x3xbf16>, tensor<3xbf16>, tensor<3xui8> -> tensor<2x3xui8>
  // CHECK: prec.dequantize %{{.*}}, %{{.*}}, %{{.*}} axis 1 :
  %y = prec.dequantize %q, %s, %z axis 1 : tensor<2x3xui8>, tensor<3xbf16>, tensor<3xui8> -> tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
}

// Factors of sums that a model adds up in integers.
// CHECK-LABEL: func.func @factors
func.func @factors(%q: tensor<2x3xui8>, %s: tensor<3xi32>, %z: tensor<3xui8>) -> tensor<2x3xi32> {
  // CHECK: prec.dequantize %{{.*}}, %{{.*}}, %{{.*}} axis 1 : tensor<2x3xui8>, tensor<3xi32>, tensor<3xui8> -> tensor<2x3xi32>
  %y = prec.dequantize %q, %s, %z axis 1 : tensor<2x3xui8>, tensor<3xi32>, tensor<3xui8> -> tensor<2x3xi32>
  return %y : tensor<2x3xi32>
}

// A scale for each block of rows, the last of which is a part of one.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<5x3xf32>, %s: tensor<2x3xf32>, %z: tensor<2x3xui4>) -> tensor<5x3xf32> {
  // CHECK: prec.quantize %{{.*}}, %{{.*}}, %{{.*}} axis 0 block 4 rounding nearest_even range 0 to 15 : tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xui4> -> tensor<5x3xui4>
  %q = prec.quantize %x, %s, %z axis 0 block 4 rounding nearest_even range 0 to 15 : tensor<5x3xf32>, tensor<2x3xf32>, tensor<2x3xui4> -> tensor<5x3xui4>
  // CHECK: prec.dequantize %{{.*}}, %{{.*}}, %{{.*}} axis 0 block 4 : tensor<5x3xui4>, tensor<2x3xf32>, tensor<2x3xui4> -> tensor<5x3xf32>
  %y = prec.dequantize %q, %s, %z axis 0 block 4 : tensor<5x3xui4>, tensor<2x3xf32>, tensor<2x3xui4> -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @fitted
func.func @fitted(%x: tensor<5x3xf32>) -> tensor<2x3xf16> {
  // CHECK: prec.fit_scale %{{.*}} axis 0 block 4 integer -8 : tensor<5x3xf32> -> tensor<2x3xf16>
  %s = prec.fit_scale %x axis 0 block 4 integer -8 : tensor<5x3xf32> -> tensor<2x3xf16>
  return %s : tensor<2x3xf16>
}

// CHECK-LABEL: func.func @stored
func.func @stored(%w: tensor<2x8x32x1xi32>, %b: tensor<1x2x32xi8>) -> (tensor<64x60xi4>, tensor<2x7xi4>) {
  // CHECK: prec.unpack %{{.*}} "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi32> -> tensor<64x60xi4>
  %q = prec.unpack %w "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi32> -> tensor<64x60xi4>
  // CHECK: prec.unpack %{{.*}} "* k n -> * n/32 k n%32" : tensor<1x2x32xi8> -> tensor<2x7xi4>
  %z = prec.unpack %b "* k n -> * n/32 k n%32" : tensor<1x2x32xi8> -> tensor<2x7xi4>
  return %q, %z : tensor<64x60xi4>, tensor<2x7xi4>
}
