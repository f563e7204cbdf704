// RUN: heddle-opt %s --split-input-file --heddle-lower | FileCheck %s

// Both stay what they are: a target may have instructions for them. Tensors hold integers without a sign; the op says which have none.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[Q:.*]]: tensor<2x3xi8> {heddle.type = tensor<2x3xui8>}, %[[P:.*]]: tensor<2x3xi4>, %{{.*}}: tensor<3xf32>, %{{.*}}: tensor<3xi8> {heddle.type = tensor<3xui8>}, %[[U:.*]]: tensor<2x3xi4> {heddle.type = tensor<2x3xui4>})
// CHECK: %[[Y:.*]] = prec.dequantize %[[Q]], %{{.*}}, %{{.*}} axis 1 {storage_type = ui8} : tensor<2x3xi8>, tensor<3xf32>, tensor<3xi8> -> tensor<2x3xf32>
// CHECK: prec.quantize %[[Y]], %{{.*}}, %{{.*}} rounding nearest_even range -128 to 127 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
// CHECK: prec.dequantize %[[P]], %{{.*}}, %{{[^ ]*}} : tensor<2x3xi4>, tensor<f32>, tensor<i4> -> tensor<2x3xf32>
// CHECK: prec.dequantize %[[U]], %{{.*}} {storage_type = ui4} : tensor<2x3xi4>, tensor<f32>, tensor<i4> -> tensor<2x3xf32>
func.func @main(%q: tensor<2x3xui8>, %p: tensor<2x3xi4>, %s: tensor<3xf32>, %z: tensor<3xui8>, %u4: tensor<2x3xui4>) -> (tensor<2x3xi8>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %t = stablehlo.constant dense<0.5> : tensor<f32>
  %u = stablehlo.constant dense<3> : tensor<i8>
  %n = stablehlo.constant dense<-1> : tensor<i4>
  %y = prec.dequantize %q, %s, %z axis 1 : tensor<2x3xui8>, tensor<3xf32>, tensor<3xui8> -> tensor<2x3xf32>
  %0 = prec.quantize %y, %t, %u rounding nearest_even range -128 to 127 : tensor<2x3xf32>, tensor<f32>, tensor<i8> -> tensor<2x3xi8>
  %1 = prec.dequantize %p, %t, %n : tensor<2x3xi4>, tensor<f32>, tensor<i4> -> tensor<2x3xf32>
  %m = stablehlo.constant dense<9> : tensor<ui4>
  %2 = prec.dequantize %u4, %t, %m : tensor<2x3xui4>, tensor<f32>, tensor<ui4> -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3xi8>, tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// A model's quantization of its weights is part of their programs: no call computes it.

// CHECK: kernel.weight @[[W:.*]] : tensor<3x2xf32> {
// CHECK: prec.dequantize {{.*}} axis 0 : tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8> -> tensor<2x3xf32>
// CHECK: stablehlo.transpose
// CHECK-LABEL: func.func @main
// CHECK-NOT: prec.
// CHECK: kernel.weight_ref @[[W]] : tensor<3x2xf32>
// CHECK-NOT: prec.
func.func @main(%x: tensor<3x2xf32>) -> tensor<3x2xf32> {
  %q = stablehlo.constant dense<[[1, 2, 3], [-4, 5, -6]]> : tensor<2x3xi8>
  %s = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %z = stablehlo.constant dense<0> : tensor<2xi8>
  %w = prec.dequantize %q, %s, %z axis 0 : tensor<2x3xi8>, tensor<2xf32>, tensor<2xi8> -> tensor<2x3xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %0 = stablehlo.add %x, %t : tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}
