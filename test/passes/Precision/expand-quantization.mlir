// RUN: heddle-opt %s --heddle-expand-quantization | FileCheck %s

// CHECK-LABEL: func.func @narrow
func.func @narrow(%q: tensor<2x3xui8>, %s: tensor<3xf32>, %z: tensor<3xui8>) -> tensor<2x3xf32> {
  // CHECK: %[[Q:.*]] = stablehlo.convert %{{.*}} : (tensor<2x3xui8>) -> tensor<2x3xf32>
  // CHECK: %[[Z:.*]] = stablehlo.broadcast_in_dim %{{.*}}, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  // CHECK: %[[D:.*]] = stablehlo.subtract %[[Q]], %[[Z]]
  // CHECK: stablehlo.multiply %[[D]],
  %y = prec.dequantize %q, %s, %z axis 1 : tensor<2x3xui8>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The quotient is one of f32; integers of 32 bits are exact in f64 alone.
// CHECK-LABEL: func.func @wide
func.func @wide(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) -> tensor<4xi32> {
  // CHECK: %[[R:.*]] = stablehlo.divide %{{.*}}, %{{.*}} : tensor<4xf32>
  // CHECK: %[[W:.*]] = stablehlo.convert %[[R]] : (tensor<4xf32>) -> tensor<4xf64>
  // CHECK: stablehlo.round_nearest_even %[[W]]
  // CHECK: stablehlo.clamp
  // CHECK: stablehlo.convert %{{.*}} : (tensor<4xf64>) -> tensor<4xi32>
  %q = prec.quantize %x, %s, %z rounding nearest_even range -2147483648 to 2147483647 : tensor<4xf32>, tensor<f32>, tensor<i32> -> tensor<4xi32>
  return %q : tensor<4xi32>
}
