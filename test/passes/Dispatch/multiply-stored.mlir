// Products of quantized tensors on a target that multiplies integers faster than f32, and on one that does not.
// RUN: heddle-opt %s --heddle-lower --heddle-assign-target="target=x86-64-v3 spelled" -o %t.spelled.mlir
// RUN: sed -e 's/quad_packing = "[^"]*"/quad_packing = ""/g' -e 's/quantized_products = \[[^]]*\]/quantized_products = []/' %t.spelled.mlir > %t.plain.mlir
// RUN: sed -e 's/quantized_products = \[\]/quantized_products = ["contraction ui8 i8 i32", "contraction i8 i8 i32", "convolution i8 i8 i32", "convolution ui8 i8 i32"]/' \
// RUN:   %t.plain.mlir > %t.integers.mlir
// RUN: heddle-opt %t.integers.mlir --heddle-multiply-stored | FileCheck %s
// RUN: heddle-opt %t.plain.mlir --heddle-multiply-stored | FileCheck %s --check-prefix=PLAIN

// What is fast and no kernel's is refused.
// RUN: sed -e 's/quantized_products = \[\]/quantized_products = ["contraction i8 ui8 i32"]/' %t.plain.mlir > %t.wrong.mlir
// RUN: not heddle-opt %t.wrong.mlir --heddle-multiply-stored 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error:

// PLAIN-NOT: xi32>

// A weight becomes its integers, in the order in which they are read; its scales and the sums of its columns are one vector each.
// CHECK-DAG: kernel.weight @[[W:.*]] : tensor<4x6xi8> {
// CHECK-DAG: kernel.weight @[[S:.*]] : tensor<6xf32> {
// CHECK-DAG: kernel.weight @[[C:.*]] : tensor<6xi32> {
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[INTEGERS:.*]] = kernel.weight_ref @[[W]] : tensor<4x6xi8>
// CHECK-DAG: %[[SCALES:.*]] = kernel.weight_ref @[[S]] : tensor<6xf32>
// CHECK-DAG: %[[COLUMNS:.*]] = kernel.weight_ref @[[C]] : tensor<6xi32>
// CHECK-DAG: %[[P:.*]] = kernel.contract %arg0, %[[INTEGERS]] {{.*}}lhs_type = ui8} : tensor<8x4xi8>, tensor<4x6xi8> -> tensor<8x6xi32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[COLUMNS]], %[[SCALES]] : tensor<8x6xi32>, tensor<6xi32>, tensor<6xf32>)
// CHECK: %[[THREE:.*]] = arith.constant 3 : i32
// CHECK: arith.muli %[[THREE]],
// CHECK: arith.subi
// CHECK-NOT: arith.subi
// CHECK: arith.sitofp %{{.*}} : i32 to f32
// CHECK: prec.quantize

// Zero points that are zero want nothing; what moves elements moves integers.
// CHECK: %[[T:.*]] = tensor.collapse_shape %arg1 {{.*}} : tensor<2x4x4xi8> into tensor<8x4xi8>
// CHECK: kernel.contract %[[T]], %{{.*}} : tensor<8x4xi8>, tensor<4x6xi8> -> tensor<8x6xi32>
// CHECK-NOT: arith.subi
// CHECK: arith.sitofp

// Both sides are moved: sums of both.
// CHECK-DAG: kernel.contract %arg2, %{{.*}} : tensor<2x8x4xi8>, tensor<4xi8> -> tensor<2x8xi32>
// CHECK-DAG: kernel.contract %{{.*}}, %arg3 {{.*}} : tensor<4xi8>, tensor<2x4x5xi8> -> tensor<2x5xi32>
// CHECK-DAG: kernel.contract %arg2, %arg3 {{.*}} : tensor<2x8x4xi8>, tensor<2x4x5xi8> -> tensor<2x8x5xi32>
// CHECK: arith.subi
// CHECK: arith.subi
// CHECK: arith.constant 4 : i32
// CHECK: arith.addi

// A convolution whose padding is what its zero point is.
// CHECK: %[[LAST:.*]] = linalg.generic {{.*}} ins(%arg4 : tensor<1x3x9xi8>)
// CHECK: kernel.convolution %[[LAST]], %{{.*}} padding = array<i64: 1, 1>{{.*}} : tensor<1x9x3xi8>, tensor<3x3x2xi8> -> tensor<1x9x2xi32>
// One without padding.
// CHECK: kernel.weight_ref @{{.*}} : tensor<2xi32>
// CHECK: kernel.convolution %arg5, %{{.*}} lhs_type = ui8, padding = array<i64: 0, 0>{{.*}} -> tensor<1x7x2xi32>
// One whose padding is another number than its zero point, which is put around it first.
// CHECK: %[[ZERO:.*]] = arith.constant 3 : i8
// CHECK: %[[PADDED:.*]] = kernel.pad %arg5, %[[ZERO]] {{.*}} : tensor<1x9x3xi8>, i8 -> tensor<1x11x3xi8>
// CHECK: kernel.convolution %[[PADDED]], %{{.*}} lhs_type = ui8, padding = array<i64: 0, 0>{{.*}} -> tensor<1x9x2xi32>
// Left alone are scales that the sums run over and sums that 32 bits may not hold.
// CHECK: kernel.contract %{{.*}} : tensor<8x4xf32>, tensor<4x6xf32> -> tensor<8x6xf32>
// CHECK: kernel.contract %{{.*}} : tensor<1x33026xf32>, tensor<33026x1xf32> -> tensor<1x1xf32>
func.func @main(%a: tensor<8x4xui8>, %b: tensor<2x4x4xi8>, %c: tensor<2x8x4xi8>, %d: tensor<2x4x5xi8>, %e: tensor<1x3x9xi8>, %f: tensor<1x9x3xui8>, %long: tensor<1x33026xi8>, %other: tensor<33026x1xi8>)
    -> (tensor<8x6xui8>, tensor<8x6xf32>, tensor<2x8x5xf32>, tensor<1x9x2xf32>, tensor<1x7x2xf32>, tensor<1x9x2xf32>, tensor<8x6xf32>, tensor<1x1xf32>) {
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %minus = stablehlo.constant dense<-5> : tensor<i8>
  %three = stablehlo.constant dense<3> : tensor<ui8>
  %i = stablehlo.iota dim = 0 : tensor<6x4xi8>
  %r = stablehlo.constant dense<[[1, 2, 3, 4]]> : tensor<1x4xi8>
  %rs = stablehlo.broadcast_in_dim %r, dims = [0, 1] : (tensor<1x4xi8>) -> tensor<6x4xi8>
  %q = stablehlo.add %i, %rs : tensor<6x4xi8>
  %ws = stablehlo.constant dense<[0.5, 0.25, 0.125, 1.0, 2.0, 4.0]> : tensor<6xf32>
  %wz = stablehlo.constant dense<0> : tensor<6xi8>
  %w = prec.dequantize %q, %ws, %wz axis 0 : tensor<6x4xi8>, tensor<6xf32>, tensor<6xi8> -> tensor<6x4xf32>
  %wt = stablehlo.transpose %w, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>

  %da = prec.dequantize %a, %s, %three : tensor<8x4xui8>, tensor<f32>, tensor<ui8> -> tensor<8x4xf32>
  %0 = stablehlo.dot_general %da, %wt, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = prec.quantize %0, %s, %three rounding nearest_even range 0 to 255 : tensor<8x6xf32>, tensor<f32>, tensor<ui8> -> tensor<8x6xui8>

  %db = prec.dequantize %b, %s, %zero : tensor<2x4x4xi8>, tensor<f32>, tensor<i8> -> tensor<2x4x4xf32>
  %tb = stablehlo.reshape %db : (tensor<2x4x4xf32>) -> tensor<8x4xf32>
  %2 = stablehlo.dot_general %tb, %wt, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>

  %dc = prec.dequantize %c, %s, %minus : tensor<2x8x4xi8>, tensor<f32>, tensor<i8> -> tensor<2x8x4xf32>
  %dd = prec.dequantize %d, %s, %minus : tensor<2x4x5xi8>, tensor<f32>, tensor<i8> -> tensor<2x4x5xf32>
  %3 = stablehlo.dot_general %dc, %dd, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x8x4xf32>, tensor<2x4x5xf32>) -> tensor<2x8x5xf32>

  %ci = stablehlo.constant dense<[[[1, -2], [3, -4], [5, -6]], [[7, 8], [9, 10], [11, 12]], [[-1, 2], [-3, 4], [-5, 6]]]> : tensor<3x3x2xi8>
  %cs = stablehlo.constant dense<[0.5, 0.25]> : tensor<2xf32>
  %cz = stablehlo.constant dense<0> : tensor<2xi8>
  %cw = prec.dequantize %ci, %cs, %cz axis 2 : tensor<3x3x2xi8>, tensor<2xf32>, tensor<2xi8> -> tensor<3x3x2xf32>
  %ec = prec.dequantize %e, %s, %zero : tensor<1x3x9xi8>, tensor<f32>, tensor<i8> -> tensor<1x3x9xf32>
  %de = stablehlo.transpose %ec, dims = [0, 2, 1] : (tensor<1x3x9xf32>) -> tensor<1x9x3xf32>
  %4 = stablehlo.convolution(%de, %cw) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x9x3xf32>, tensor<3x3x2xf32>) -> tensor<1x9x2xf32>
  %df = prec.dequantize %f, %s, %three : tensor<1x9x3xui8>, tensor<f32>, tensor<ui8> -> tensor<1x9x3xf32>
  %5 = stablehlo.convolution(%df, %cw) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[0, 0]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x9x3xf32>, tensor<3x3x2xf32>) -> tensor<1x7x2xf32>
  %6 = stablehlo.convolution(%df, %cw) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x9x3xf32>, tensor<3x3x2xf32>) -> tensor<1x9x2xf32>

  %us = stablehlo.constant dense<[0.5, 0.25, 0.125, 1.0]> : tensor<4xf32>
  %uz = stablehlo.constant dense<0> : tensor<4xi8>
  %u = prec.dequantize %q, %us, %uz axis 1 : tensor<6x4xi8>, tensor<4xf32>, tensor<4xi8> -> tensor<6x4xf32>
  %ut = stablehlo.transpose %u, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %7 = stablehlo.dot_general %da, %ut, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>

  %dl = prec.dequantize %long, %s, %zero : tensor<1x33026xi8>, tensor<f32>, tensor<i8> -> tensor<1x33026xf32>
  %do = prec.dequantize %other, %s, %zero : tensor<33026x1xi8>, tensor<f32>, tensor<i8> -> tensor<33026x1xf32>
  %8 = stablehlo.dot_general %dl, %do, contracting_dims = [1] x [0] : (tensor<1x33026xf32>, tensor<33026x1xf32>) -> tensor<1x1xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8 : tensor<8x6xui8>, tensor<8x6xf32>, tensor<2x8x5xf32>, tensor<1x9x2xf32>, tensor<1x7x2xf32>, tensor<1x9x2xf32>, tensor<8x6xf32>, tensor<1x1xf32>
}
