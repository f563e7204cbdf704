// RUN: heddle-opt %s --heddle-instrument-precision=formats=bf16,w8a8 | FileCheck %s

// The range of what several products read is found once, from the numbers that are not rounded; a product that cannot have bytes has zeros.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[R:.*]]: tensor<3xi32> {heddle.name = "heddle.rounding"}, %[[S:.*]]: tensor<3x2xf32> {heddle.name = "heddle.first_scales"})
// CHECK-SAME: -> (tensor<8x8xf32>, tensor<3x2xf32> {heddle.name = "heddle.extremes"})
func.func @main(%x: tensor<8x64xf32>) -> tensor<8x8xf32> {
  // CHECK-DAG: %[[LEAST:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.minimum across dimensions = [0, 1]
  // CHECK-DAG: %[[LARGEST:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.maximum across dimensions = [0, 1]
  // CHECK-DAG: %[[A:.*]] = stablehlo.reshape %[[LEAST]] : (tensor<f32>) -> tensor<1xf32>
  // CHECK-DAG: %[[B:.*]] = stablehlo.reshape %[[LARGEST]] : (tensor<f32>) -> tensor<1xf32>
  // CHECK-NOT: stablehlo.reduce
  // CHECK-DAG: %[[W:.*]] = stablehlo.constant dense_resource<w>
  // CHECK-DAG: %[[ROW:.*]] = stablehlo.reshape %{{.*}} : (tensor<1x32xf32>) -> tensor<32xf32>
  // CHECK-DAG: %[[INTEGERS:.*]] = prec.quantize %[[W]], %[[ROW]], %{{.*}} axis 1
  %w = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  // CHECK: %[[IS:.*]] = stablehlo.compare EQ, %{{.*}}, %{{.*}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  // CHECK: %[[IS_BYTES:.*]] = stablehlo.compare EQ
  // CHECK: %[[SCALE_AT:.*]] = stablehlo.slice %[[S]] [0:1, 0:1]
  // CHECK: %[[SCALE:.*]] = stablehlo.reshape %[[SCALE_AT]] : (tensor<1x1xf32>) -> tensor<f32>
  // CHECK: %[[ZERO_AT:.*]] = stablehlo.slice %[[S]] [0:1, 1:2]
  // CHECK: %[[ZERO_F32:.*]] = stablehlo.reshape %[[ZERO_AT]]
  // CHECK: %[[ZERO:.*]] = stablehlo.convert %[[ZERO_F32]] : (tensor<f32>) -> tensor<ui8>
  // CHECK: %[[TAKEN:.*]] = stablehlo.select %[[IS_BYTES]], %[[X]], %{{.*}} : tensor<i1>, tensor<8x64xf32>
  // CHECK: %[[BYTES:.*]] = prec.quantize %[[TAKEN]], %[[SCALE]], %[[ZERO]] rounding nearest_even range 0 to 255 {{.*}} -> tensor<8x64xui8>
  // CHECK: %[[NUMBERS:.*]] = prec.dequantize %[[BYTES]], %[[SCALE]], %[[ZERO]]
  // CHECK: %[[FIRST:.*]] = stablehlo.select %[[IS_BYTES]], %[[NUMBERS]], %{{.*}} : tensor<i1>, tensor<8x64xf32>
  // CHECK: %[[CHOSEN:.*]] = stablehlo.select %[[IS_BYTES]], %[[INTEGERS]], %{{.*}} : tensor<i1>, tensor<64x32xi8>
  // CHECK: %[[WEIGHT:.*]] = prec.dequantize %[[CHOSEN]], %[[ROW]], %{{.*}} axis 1
  // CHECK: %[[SECOND:.*]] = stablehlo.select %[[IS_BYTES]], %[[WEIGHT]], %{{.*}} : tensor<i1>, tensor<64x32xf32>
  // CHECK: stablehlo.dot_general %[[FIRST]], %[[SECOND]]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.slice %[[S]] [1:2, 0:1]
  // CHECK: stablehlo.slice %[[S]] [1:2, 1:2]
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK-NOT: stablehlo.slice %[[S]]
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1] : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x8xf32>
  // CHECK: %[[ALL:.*]] = stablehlo.concatenate %[[A]], %[[B]], %[[A]], %[[B]], %[[NONE:.*]], %[[NONE]], dim = 0
  // CHECK: %[[EXTREMES:.*]] = stablehlo.reshape %[[ALL]] : (tensor<6xf32>) -> tensor<3x2xf32>
  // CHECK: return %{{.*}}, %[[EXTREMES]]
  return %2 : tensor<8x8xf32>
}
