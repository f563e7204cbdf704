// RUN: heddle-opt %s --heddle-instrument-precision=formats=w8a16,w4a16 | FileCheck %s

// A weight's integers are stored beside it, and what they stand for is computed from those that are chosen; the first factor stays.
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<1x64xf32>, %[[R:.*]]: tensor<1xi32> {heddle.name = "heddle.rounding"})
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x32xf32> {
  // CHECK: %[[W:.*]] = stablehlo.constant dense_resource<w>
  // CHECK-DAG: %[[BYTES:.*]] = prec.quantize %[[W]], {{.*}} -> tensor<64x32xi8>
  // CHECK-DAG: %[[NIBBLES:.*]] = prec.quantize %[[W]], {{.*}} -> tensor<64x32xi4>
  // CHECK: %[[IS_BYTES:.*]] = stablehlo.compare EQ
  // CHECK: %[[IS_NIBBLES:.*]] = stablehlo.compare EQ
  // CHECK: %[[A:.*]] = stablehlo.select %[[IS_BYTES]], %[[BYTES]], %{{.*}} : tensor<i1>, tensor<64x32xi8>
  // CHECK: %[[B:.*]] = prec.dequantize %[[A]], {{.*}} axis 0 block 32 : tensor<64x32xi8>, tensor<2x32xbf16>, tensor<2x32xi8> -> tensor<64x32xf32>
  // CHECK: %[[C:.*]] = stablehlo.select %[[IS_BYTES]], %[[B]], %[[W]]
  // CHECK: %[[D:.*]] = stablehlo.select %[[IS_NIBBLES]], %[[NIBBLES]], %{{.*}} : tensor<i1>, tensor<64x32xi4>
  // CHECK: %[[E:.*]] = prec.dequantize %[[D]], {{.*}} : tensor<64x32xi4>
  // CHECK: %[[F:.*]] = stablehlo.select %[[IS_NIBBLES]], %[[E]], %[[C]]
  // CHECK: stablehlo.dot_general %[[X]], %[[F]]
  %w = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
  return %0 : tensor<1x32xf32>
}
