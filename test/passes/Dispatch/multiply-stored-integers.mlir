// Products that a model sums up in integers itself: the same kernels, and integers behind them.
// RUN: heddle-opt %s --split-input-file --heddle-lower --heddle-assign-target="target=x86-64-v3" --heddle-multiply-stored | FileCheck %s

// CHECK-DAG: kernel.weight @[[W:.*]] : tensor<4x6xi8> {
// CHECK-DAG: kernel.weight @[[C:.*]] : tensor<6xi32> {
// CHECK-LABEL: func.func @main(

// A zero point that a call computes times the sums of the columns; no scale is multiplied by.
// CHECK-DAG: %[[INTEGERS:.*]] = kernel.weight_ref @[[W]] : tensor<4x6xi8>
// CHECK-DAG: %[[COLUMNS:.*]] = kernel.weight_ref @[[C]] : tensor<6xi32>
// CHECK-DAG: %[[P:.*]] = kernel.contract %arg0, %[[INTEGERS]] {{.*}}lhs_type = ui8} : tensor<8x4xi8>, tensor<4x6xi8> -> tensor<8x6xi32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %arg1, %[[COLUMNS]] : tensor<8x6xi32>, tensor<i8>, tensor<6xi32>)
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: arith.muli
// CHECK-NEXT: %[[D:.*]] = arith.subi
// CHECK-NEXT: linalg.yield %[[D]] : i32

// Nothing is left to do behind one without zero points.
// CHECK: %[[PLAIN:.*]] = kernel.contract %arg0, %{{.*}} -> tensor<8x6xi32>

// Scales other than one are multiplied by, as often as 32 bits wrap around.
// CHECK: kernel.contract %arg0, %{{.*}} -> tensor<8x6xi32>
// CHECK: linalg.generic
// CHECK: arith.constant 3 : i32
// CHECK-NEXT: arith.muli
// CHECK-NOT: arith.muli
// CHECK: linalg.yield

// Sums that 32 bits may not hold wrap around as the model's own do.
// CHECK: kernel.contract %arg2, %{{.*}} : tensor<1x33028xi8>, tensor<33028x1xi8> -> tensor<1x1xi32>
// CHECK: return %{{.*}}, %[[PLAIN]],
func.func @main(%a: tensor<8x4xui8>, %zero: tensor<ui8>, %long: tensor<1x33028xui8>) -> (tensor<8x6xi32>, tensor<8x6xi32>, tensor<8x6xi32>, tensor<1x1xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<ui8>
  %ones = stablehlo.constant dense<1> : tensor<6xi32>
  %zeros = stablehlo.constant dense<0> : tensor<6xi8>
  %i = stablehlo.constant dense<[[1, -2, 3, -4, 5, -6], [7, 8, 9, 10, 11, 12], [-1, 2, -3, 4, -5, 6], [127, -128, 0, 1, 2, 3]]> : tensor<4x6xi8>
  %w = prec.dequantize %i, %ones, %zeros axis 1 : tensor<4x6xi8>, tensor<6xi32>, tensor<6xi8> -> tensor<4x6xi32>

  %moved = prec.dequantize %a, %one, %zero : tensor<8x4xui8>, tensor<i32>, tensor<ui8> -> tensor<8x4xi32>
  %0 = stablehlo.dot_general %moved, %w, contracting_dims = [1] x [0] : (tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>

  %plain = prec.dequantize %a, %one, %none : tensor<8x4xui8>, tensor<i32>, tensor<ui8> -> tensor<8x4xi32>
  %1 = stablehlo.dot_general %plain, %w, contracting_dims = [1] x [0] : (tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>

  %scaled = prec.dequantize %a, %three, %none : tensor<8x4xui8>, tensor<i32>, tensor<ui8> -> tensor<8x4xi32>
  %2 = stablehlo.dot_general %scaled, %w, contracting_dims = [1] x [0] : (tensor<8x4xi32>, tensor<4x6xi32>) -> tensor<8x6xi32>

  %zero_weight = stablehlo.constant dense<0> : tensor<i8>
  %first = stablehlo.constant dense<[1, -7]> : tensor<2xi8>
  %repeated = stablehlo.broadcast_in_dim %first, dims = [1] : (tensor<2xi8>) -> tensor<16514x2xi8>
  %column = stablehlo.reshape %repeated : (tensor<16514x2xi8>) -> tensor<33028x1xi8>
  %lw = prec.dequantize %column, %one, %zero_weight : tensor<33028x1xi8>, tensor<i32>, tensor<i8> -> tensor<33028x1xi32>
  %ll = prec.dequantize %long, %one, %none : tensor<1x33028xui8>, tensor<i32>, tensor<ui8> -> tensor<1x33028xi32>
  %3 = stablehlo.dot_general %ll, %lw, contracting_dims = [1] x [0] : (tensor<1x33028xi32>, tensor<33028x1xi32>) -> tensor<1x1xi32>
  return %0, %1, %2, %3 : tensor<8x6xi32>, tensor<8x6xi32>, tensor<8x6xi32>, tensor<1x1xi32>
}

// -----

// Another padding than zero is put around the image first; a zero point of the filter wants the sums of windows: of channels, then of points.
// CHECK-LABEL: func.func @windows(
// CHECK: %[[FIVE:.*]] = arith.constant 5 : i8
// CHECK: %[[PADDED:.*]] = kernel.pad %arg0, %[[FIVE]] {high = array<i64: 0, 1, 1, 0>, interior = array<i64: 0, 0, 0, 0>, low = array<i64: 0, 1, 1, 0>} : tensor<1x6x7x4xi8>, i8 -> tensor<1x8x9x4xi8>
// CHECK: %[[CHANNELS:.*]] = kernel.contract %[[PADDED]], %{{.*}} : tensor<1x8x9x4xi8>, tensor<4xi8> -> tensor<1x8x9xi32>
// CHECK: %[[POINTS:.*]] = tensor.expand_shape %[[CHANNELS]]
// CHECK: %[[SUMS:.*]] = kernel.convolution %[[POINTS]], %{{.*}} padding = array<i64: 0, 0, 0, 0>{{.*}} strides = array<i64: 2, 2>{{.*}} : tensor<1x8x9x1xi32>, tensor<3x3x1x1xi32> -> tensor<1x3x4x1xi32>
// CHECK: %[[WINDOWS:.*]] = tensor.collapse_shape %[[SUMS]]
// CHECK: %[[PRODUCT:.*]] = kernel.convolution %[[PADDED]], %{{.*}} lhs_type = ui8, padding = array<i64: 0, 0, 0, 0>{{.*}} : tensor<1x8x9x4xi8>, tensor<3x3x4x8xi8> -> tensor<1x3x4x8xi32>
// CHECK: linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.*}}, %[[WINDOWS]] :
func.func @windows(%x: tensor<1x6x7x4xui8>) -> tensor<1x3x4x8xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<ui8>
  %three = stablehlo.constant dense<3> : tensor<i8>
  %first = stablehlo.constant dense<[1, -7, 100, 5, 6, -128, 127, 3]> : tensor<8xi8>
  %w = stablehlo.broadcast_in_dim %first, dims = [3] : (tensor<8xi8>) -> tensor<3x3x4x8xi8>
  %dx = prec.dequantize %x, %one, %five : tensor<1x6x7x4xui8>, tensor<i32>, tensor<ui8> -> tensor<1x6x7x4xi32>
  %dw = prec.dequantize %w, %one, %three : tensor<3x3x4x8xi8>, tensor<i32>, tensor<i8> -> tensor<3x3x4x8xi32>
  %0 = stablehlo.convolution(%dx, %dw) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x7x4xi32>, tensor<3x3x4x8xi32>) -> tensor<1x3x4x8xi32>
  return %0 : tensor<1x3x4x8xi32>
}

// -----

// Sums that no kernel takes in fours are those of f32 as long as it holds all of them: of 258 products.
// CHECK-DAG: kernel.weight @[[W:.*]] : tensor<258x2xf32> {
// CHECK-LABEL: func.func @few(
// CHECK: %[[L:.*]] = prec.dequantize %arg0, %{{.*}} {storage_type = ui8} : tensor<3x258xi8>, tensor<f32>, tensor<i8> -> tensor<3x258xf32>
// CHECK: %[[S:.*]] = kernel.contract %[[L]], %{{.*}} : tensor<3x258xf32>, tensor<258x2xf32> -> tensor<3x2xf32>
// CHECK: linalg.generic {{.*}} ins(%[[S]] : tensor<3x2xf32>) outs(%{{.*}} : tensor<3x2xi32>)
// CHECK: arith.fptosi %{{.*}} : f32 to i32
// CHECK: kernel.contract %{{.*}} : tensor<3x259xi32>, tensor<259x2xi32> -> tensor<3x2xi32>
func.func @few(%x: tensor<3x258xui8>, %y: tensor<3x259xui8>) -> (tensor<3x2xi32>, tensor<3x2xi32>) {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<ui8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %first = stablehlo.constant dense<[1, -7]> : tensor<2xi8>
  %w = stablehlo.broadcast_in_dim %first, dims = [1] : (tensor<2xi8>) -> tensor<258x2xi8>
  %v = stablehlo.broadcast_in_dim %first, dims = [1] : (tensor<2xi8>) -> tensor<259x2xi8>
  %dx = prec.dequantize %x, %one, %five : tensor<3x258xui8>, tensor<i32>, tensor<ui8> -> tensor<3x258xi32>
  %dy = prec.dequantize %y, %one, %five : tensor<3x259xui8>, tensor<i32>, tensor<ui8> -> tensor<3x259xi32>
  %dw = prec.dequantize %w, %one, %zero : tensor<258x2xi8>, tensor<i32>, tensor<i8> -> tensor<258x2xi32>
  %dv = prec.dequantize %v, %one, %zero : tensor<259x2xi8>, tensor<i32>, tensor<i8> -> tensor<259x2xi32>
  %0 = stablehlo.dot_general %dx, %dw, contracting_dims = [1] x [0] : (tensor<3x258xi32>, tensor<258x2xi32>) -> tensor<3x2xi32>
  %1 = stablehlo.dot_general %dy, %dv, contracting_dims = [1] x [0] : (tensor<3x259xi32>, tensor<259x2xi32>) -> tensor<3x2xi32>
  return %0, %1 : tensor<3x2xi32>, tensor<3x2xi32>
}

// -----

// A border that the call computes is read where it is put.
// CHECK-LABEL: func.func @border(
// CHECK: %[[NUMBER:.*]] = tensor.extract %arg1[] : tensor<i8>
// CHECK: %[[PADDED:.*]] = kernel.pad %arg0, %[[NUMBER]] {{.*}} : tensor<1x6x4xi8>, i8 -> tensor<1x8x4xi8>
// CHECK: kernel.convolution %[[PADDED]], %{{.*}} lhs_type = ui8, padding = array<i64: 0, 0>{{.*}} -> tensor<1x6x8xi32>
func.func @border(%x: tensor<1x6x4xui8>, %zero: tensor<ui8>) -> tensor<1x6x8xi32> {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %none = stablehlo.constant dense<0> : tensor<i8>
  %first = stablehlo.constant dense<[1, -7, 100, 5, 6, -128, 127, 3]> : tensor<8xi8>
  %w = stablehlo.broadcast_in_dim %first, dims = [2] : (tensor<8xi8>) -> tensor<3x4x8xi8>
  %dx = prec.dequantize %x, %one, %zero : tensor<1x6x4xui8>, tensor<i32>, tensor<ui8> -> tensor<1x6x4xi32>
  %dw = prec.dequantize %w, %one, %none : tensor<3x4x8xi8>, tensor<i32>, tensor<i8> -> tensor<3x4x8xi32>
  %0 = stablehlo.convolution(%dx, %dw) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x4xi32>, tensor<3x4x8xi32>) -> tensor<1x6x8xi32>
  return %0 : tensor<1x6x8xi32>
}
