// Products of bytes that kernels of processors take in fours of terms, and those they do not.
// RUN: heddle-opt %s --heddle-lower --heddle-assign-target=target=x86-64-v3 --heddle-multiply-stored --heddle-pack-weights | FileCheck %s

// The sums of a weight's columns are a weight: ones times the integers.
// CHECK: kernel.weight @[[COLUMNS:.*]] : tensor<6xi32> {
// CHECK: stablehlo.dot_general {{.*}} : (tensor<8xi32>, tensor<8x6xi32>) -> tensor<6xi32>
// CHECK: kernel.weight @[[QUADS:.*]] : tensor<8x6xi8> packing "* k n -> * n/32 k/4 n%32 k%4"
// CHECK: kernel.weight @[[FILTER:.*]] : tensor<3x3x4x2xi8> packing "* i (g=1 o) -> g o/32 * i/4 o%32 i%4"
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[W:.*]] = kernel.weight_ref @[[QUADS]] : tensor<1x2x32x4xi8>
// CHECK-DAG: %[[S:.*]] = kernel.weight_ref @[[COLUMNS]] : tensor<6xi32>
// CHECK: %[[P:.*]] = kernel.contract %arg0, %[[W]] {{.*}}lhs_type = ui8, rhs_packing = "* k n -> * n/32 k/4 n%32 k%4"} : tensor<5x8xi8>, tensor<1x2x32x4xi8> -> tensor<5x6xi32>
// CHECK: linalg.generic {{.*}} ins(%[[P]], %[[S]]

// Terms that are no multiple of four.
// CHECK: kernel.contract {{.*}} : tensor<5x6xf32>, {{.*}} -> tensor<5x6xf32>
// A left side with signs is 128 more without them; so is its zero point.
// CHECK: %[[BIT:.*]] = arith.constant -128 : i8
// CHECK: arith.xori %{{.*}}, %[[BIT]] : i8
// CHECK: kernel.contract {{.*}}lhs_type = ui8, rhs_packing = "* k n -> * n/32 k/4 n%32 k%4"} : tensor<5x8xi8>, tensor<1x2x32x4xi8> -> tensor<5x6xi32>
// A right side that is no weight.
// CHECK: kernel.contract {{.*}} : tensor<5x8xf32>, tensor<8x6xf32> -> tensor<5x6xf32>

// A filter whose input channels come in fours, and one whose do not.
// CHECK: kernel.convolution %arg4, %{{.*}} lhs_type = ui8, {{.*}}weights_packing = "* i (g=1 o) -> g o/32 * i/4 o%32 i%4"} : tensor<1x6x5x4xi8>, tensor<1x1x3x3x1x32x4xi8> -> tensor<1x6x5x2xi32>
// CHECK: kernel.convolution {{.*}} : tensor<1x6x5x3xf32>, {{.*}} -> tensor<1x6x5x2xf32>
func.func @main(%a: tensor<5x8xui8>, %b: tensor<5x6xui8>, %c: tensor<5x8xi8>, %d: tensor<8x6xi8>, %e: tensor<1x6x5x4xui8>, %f: tensor<1x6x5x3xui8>)
    -> (tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<1x6x5x2xf32>, tensor<1x6x5x2xf32>) {
  %s = stablehlo.constant dense<0.5> : tensor<f32>
  %three = stablehlo.constant dense<3> : tensor<ui8>
  %none = stablehlo.constant dense<0> : tensor<ui8>
  %zero = stablehlo.constant dense<0> : tensor<i8>
  %q = stablehlo.constant dense<"0x4420823CFDE6F1C26B30F90EC7DD01E4887534A20F0B0D04C36ED80E71E0FD77B07670EB940BD5335F973DAAD8619B91"> : tensor<8x6xi8>
  %w = prec.dequantize %q, %s, %zero : tensor<8x6xi8>, tensor<f32>, tensor<i8> -> tensor<8x6xf32>
  %da = prec.dequantize %a, %s, %three : tensor<5x8xui8>, tensor<f32>, tensor<ui8> -> tensor<5x8xf32>
  %0 = stablehlo.dot_general %da, %w, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>

  %k = stablehlo.constant dense<"0xFFC911F57CCED458BBBF2CE03753C9BDFA0FF0169DC9575674066676CFB0B4EB8902C442"> : tensor<6x6xi8>
  %v = prec.dequantize %k, %s, %zero : tensor<6x6xi8>, tensor<f32>, tensor<i8> -> tensor<6x6xf32>
  %db = prec.dequantize %b, %s, %three : tensor<5x6xui8>, tensor<f32>, tensor<ui8> -> tensor<5x6xf32>
  %1 = stablehlo.dot_general %db, %v, contracting_dims = [1] x [0] : (tensor<5x6xf32>, tensor<6x6xf32>) -> tensor<5x6xf32>
  %dc = prec.dequantize %c, %s, %zero : tensor<5x8xi8>, tensor<f32>, tensor<i8> -> tensor<5x8xf32>
  %2 = stablehlo.dot_general %dc, %w, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>
  %dd = prec.dequantize %d, %s, %zero : tensor<8x6xi8>, tensor<f32>, tensor<i8> -> tensor<8x6xf32>
  %3 = stablehlo.dot_general %da, %dd, contracting_dims = [1] x [0] : (tensor<5x8xf32>, tensor<8x6xf32>) -> tensor<5x6xf32>

  %x = stablehlo.constant dense<"0x69DA1CF6BA66D3F8B6D4B100A9EA0E755A5C2E8210242A08E7078F7F89385EB09423555182568B96E8A4FEF23A0C9FC5AFD7608437816BDD0A7309CB4A1252E4DA70E6720FCAA4DA"> : tensor<3x3x4x2xi8>
  %dx = prec.dequantize %x, %s, %zero : tensor<3x3x4x2xi8>, tensor<f32>, tensor<i8> -> tensor<3x3x4x2xf32>
  %de = prec.dequantize %e, %s, %none : tensor<1x6x5x4xui8>, tensor<f32>, tensor<ui8> -> tensor<1x6x5x4xf32>
  %4 = stablehlo.convolution(%de, %dx) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x5x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x6x5x2xf32>
  %y = stablehlo.constant dense<"0x1E98406C189C24279E9851D5814204136FEB5713C166B13269DD63FC35C797FF08A6CD90095066A745ADDB6D8831C2B0F87821142B44"> : tensor<3x3x3x2xi8>
  %dy = prec.dequantize %y, %s, %zero : tensor<3x3x3x2xi8>, tensor<f32>, tensor<i8> -> tensor<3x3x3x2xf32>
  %df = prec.dequantize %f, %s, %none : tensor<1x6x5x3xui8>, tensor<f32>, tensor<ui8> -> tensor<1x6x5x3xf32>
  %5 = stablehlo.convolution(%df, %dy) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x5x3xf32>, tensor<3x3x3x2xf32>) -> tensor<1x6x5x2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<5x6xf32>, tensor<1x6x5x2xf32>, tensor<1x6x5x2xf32>
}
