// RUN: heddle-opt %s --heddle-lower | FileCheck %s

// Floats of a byte or less and integers of less than a byte stay what they are; arithmetic is f32's and that of bytes, converted on both sides.
// What the model says of signs stays with arguments and results.

// CHECK: kernel.weight @[[W:.*]] : tensor<3xui4>

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<3xf8E4M3FN>, %[[I:.*]]: tensor<3xi4>, %[[U:.*]]: tensor<3xi4> {heddle.type = tensor<3xui4>}, %[[N:.*]]: tensor<i2>, %[[F:.*]]: tensor<3xf4E2M1FN>)
// CHECK-SAME: -> (tensor<3xf8E4M3FN>, tensor<3xi4>, tensor<3xi4> {heddle.type = tensor<3xui4>}, tensor<3xi4> {heddle.type = tensor<3xui4>}, tensor<5xf8E4M3FN>, tensor<1xi4>, tensor<3x2xi4> {heddle.type = tensor<3x2xui4>}, tensor<3xi4>, tensor<3xi4>, tensor<3xf8E5M2>)
func.func @main(%x: tensor<3xf8E4M3FN>, %i: tensor<3xi4>, %u: tensor<3xui4>, %n: tensor<i2>, %f: tensor<3xf4E2M1FN>)
    -> (tensor<3xf8E4M3FN>, tensor<3xi4>, tensor<3xui4>, tensor<3xui4>, tensor<5xf8E4M3FN>, tensor<1xi4>, tensor<3x2xui4>, tensor<3xi4>, tensor<3xi4>, tensor<3xf8E5M2>) {
  // CHECK: linalg.generic {{.*}}ins(%[[X]], %[[X]] : tensor<3xf8E4M3FN>, tensor<3xf8E4M3FN>)
  // CHECK: %[[A:.*]] = arith.extf %{{.*}} : f8E4M3FN to f32
  // CHECK: %[[B:.*]] = arith.extf %{{.*}} : f8E4M3FN to f32
  // CHECK: %[[P:.*]] = arith.mulf %[[A]], %[[B]] : f32
  // CHECK: arith.truncf %[[P]] : f32 to f8E4M3FN
  %0 = stablehlo.multiply %x, %x : tensor<3xf8E4M3FN>
  // CHECK: linalg.generic {{.*}}ins(%[[I]], %[[I]] : tensor<3xi4>, tensor<3xi4>)
  // CHECK: arith.extsi %{{.*}} : i4 to i8
  // CHECK: %[[S:.*]] = arith.addi %{{.*}} : i8
  // CHECK: arith.trunci %[[S]] : i8 to i4
  %1 = stablehlo.add %i, %i : tensor<3xi4>
  // A number without a sign is whole when it is cut off, which says that it has none.
  // CHECK: kernel.weight_ref @[[W]] : tensor<3xi4>
  // CHECK: arith.extui %{{.*}} : i4 to i8
  // CHECK: %[[D:.*]] = arith.addi %{{.*}} : i8
  // CHECK: %[[M:.*]] = arith.andi %[[D]], %{{.*}} : i8
  // CHECK: arith.trunci %[[M]] overflow<nuw> : i8 to i4
  %c = stablehlo.constant dense<[1, 15, 8]> : tensor<3xui4>
  %2 = stablehlo.add %u, %c : tensor<3xui4>
  // CHECK: arith.minui
  // CHECK: arith.trunci %{{.*}} overflow<nuw> : i8 to i4
  %3 = stablehlo.convert %x : (tensor<3xf8E4M3FN>) -> tensor<3xui4>
  // CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f8E4M3FN
  // CHECK: kernel.pad %[[X]], %[[ONE]]
  %one = stablehlo.constant dense<1.0> : tensor<f8E4M3FN>
  %4 = stablehlo.pad %x, %one, low = [1], high = [1], interior = [0] : (tensor<3xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<5xf8E4M3FN>
  // Places of any type are numbers.
  // CHECK: arith.extsi %{{.*}} : i2 to i8
  // CHECK: tensor.extract %[[I]]
  %5 = stablehlo.dynamic_slice %i, %n, sizes = [1] : (tensor<3xi4>, tensor<i2>) -> tensor<1xi4>
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : f8E4M3FN to i8
  // CHECK: arith.shrui %[[BITS]]
  // CHECK: arith.trunci %{{.*}} overflow<nuw> : i8 to i4
  %6 = stablehlo.bitcast_convert %x : (tensor<3xf8E4M3FN>) -> tensor<3x2xui4>
  // CHECK: arith.bitcast %{{.*}} : f4E2M1FN to i4
  %7 = stablehlo.bitcast_convert %f : (tensor<3xf4E2M1FN>) -> tensor<3xi4>
  // CHECK: arith.index_cast %{{.*}} : index to i8
  // CHECK: arith.trunci %{{.*}} : i8 to i4
  %8 = stablehlo.iota dim = 0 : tensor<3xi4>
  // CHECK: %[[G:.*]] = arith.extf %{{.*}} : f4E2M1FN to f32
  // CHECK: arith.truncf %[[G]] : f32 to f8E5M2
  %9 = stablehlo.convert %f : (tensor<3xf4E2M1FN>) -> tensor<3xf8E5M2>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9
    : tensor<3xf8E4M3FN>, tensor<3xi4>, tensor<3xui4>, tensor<3xui4>, tensor<5xf8E4M3FN>, tensor<1xi4>, tensor<3x2xui4>, tensor<3xi4>, tensor<3xi4>, tensor<3xf8E5M2>
}
