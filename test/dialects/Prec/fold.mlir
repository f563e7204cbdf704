// RUN: heddle-opt %s --canonicalize | FileCheck %s

// Stored integers come back as they were.
// CHECK-LABEL: func.func @back
// CHECK-SAME: (%[[Q:.*]]: tensor<4xi8>
// CHECK-NEXT: return %[[Q]]
func.func @back(%q: tensor<4xi8>, %s: tensor<f32>, %z: tensor<i8>) -> tensor<4xi8> {
  %x = prec.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %r = prec.quantize %x, %s, %z rounding nearest_even range -128 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  return %r : tensor<4xi8>
}

// The narrower range clamps, the other scale rounds, and real numbers do not come back at all.
// CHECK-LABEL: func.func @kept
// CHECK-COUNT-3: prec.quantize
// CHECK: prec.dequantize
// CHECK-NEXT: return
func.func @kept(%q: tensor<4xi8>, %s: tensor<f32>, %t: tensor<f32>, %z: tensor<i8>, %x: tensor<4xf32>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xf32>) {
  %0 = prec.dequantize %q, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  %1 = prec.quantize %0, %s, %z rounding nearest_even range -127 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %2 = prec.quantize %0, %t, %z rounding nearest_even range -128 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %3 = prec.quantize %x, %s, %z rounding nearest_even range -128 to 127 : tensor<4xf32>, tensor<f32>, tensor<i8> -> tensor<4xi8>
  %4 = prec.dequantize %3, %s, %z : tensor<4xi8>, tensor<f32>, tensor<i8> -> tensor<4xf32>
  return %1, %2, %4 : tensor<4xi8>, tensor<4xi8>, tensor<4xf32>
}

// Other blocks have other scales.
// CHECK-LABEL: func.func @blocks
// CHECK-SAME: (%[[Q:.*]]: tensor<4x2xi8>
func.func @blocks(%q: tensor<4x2xi8>, %s: tensor<2x2xf32>, %z: tensor<2x2xi8>) -> (tensor<4x2xi8>, tensor<4x2xi8>) {
  // CHECK: %[[X:.*]] = prec.dequantize
  // CHECK: %[[R:.*]] = prec.quantize %[[X]], {{.*}} block 3
  // CHECK: return %[[Q]], %[[R]]
  %x = prec.dequantize %q, %s, %z axis 0 block 2 : tensor<4x2xi8>, tensor<2x2xf32>, tensor<2x2xi8> -> tensor<4x2xf32>
  %0 = prec.quantize %x, %s, %z axis 0 block 2 rounding nearest_even range -128 to 127 : tensor<4x2xf32>, tensor<2x2xf32>, tensor<2x2xi8> -> tensor<4x2xi8>
  %1 = prec.quantize %x, %s, %z axis 0 block 3 rounding nearest_even range -128 to 127 : tensor<4x2xf32>, tensor<2x2xf32>, tensor<2x2xi8> -> tensor<4x2xi8>
  return %0, %1 : tensor<4x2xi8>, tensor<4x2xi8>
}
