// Weights in units of scales by blocks or by columns that kernels of processors widen, and those that are dequantized when compiling.
// RUN: heddle-opt %s --heddle-lower --heddle-assign-target=target=x86-64-v3 --heddle-multiply-stored --heddle-expand-quantization --heddle-legalize-roots --heddle-legalize-storage --heddle-pack-weights -o %t.packed.mlir
// RUN: FileCheck %s < %t.packed.mlir
// RUN: heddle-opt %t.packed.mlir --heddle-form-dispatches --heddle-outline-dispatches --heddle-verify-dispatched | FileCheck %s --check-prefix=KERNEL
// RUN: heddle-opt %s --heddle-lower --heddle-assign-target=target=sm_90a --heddle-multiply-stored --heddle-expand-quantization --heddle-legalize-roots --heddle-legalize-storage --heddle-pack-weights | FileCheck %s --check-prefix=OTHER

// Integers have a sign, so that the middle of their range is zero. A weight names its scales.
// CHECK-DAG: kernel.weight @[[W:w[0-9]+]] : tensor<64x40xi4> packing "* k n -> * n/32 k/8 n%32 k%8 in u32" block [32, 1] scale @[[S:w[0-9]+]] {
// CHECK-DAG: kernel.weight @[[S]] : tensor<2x40xf32> packing "* k n -> * n/32 k n%32" {
// CHECK-DAG: kernel.weight @[[B:w[0-9]+]] : tensor<64x40xi8> packing "* k n -> * n/32 k n%32" block [16, 1] scale @[[T:w[0-9]+]] zero_point @[[Z:w[0-9]+]] {
// CHECK-DAG: kernel.weight @[[Z]] : tensor<4x40xi8> packing "* k n -> * n/32 k n%32" {
// CHECK-LABEL: func.func @main(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : tensor<2x40xi4>
// CHECK-DAG: %[[WORDS:.*]] = kernel.weight_ref @[[W]] : tensor<2x8x32x1xi32>
// CHECK-DAG: %[[NUMBERS:.*]] = prec.unpack %[[WORDS]] "* k n -> * n/32 k/8 n%32 k%8 in u32" : tensor<2x8x32x1xi32> -> tensor<64x40xi4>
// CHECK-DAG: %[[SCALES:.*]] = kernel.weight_ref @[[S]] : tensor<2x2x32xf32>
// CHECK-DAG: %[[UNITS:.*]] = prec.unpack %[[SCALES]] "* k n -> * n/32 k n%32" : tensor<2x2x32xf32> -> tensor<2x40xf32>
// CHECK: %[[REAL:.*]] = prec.dequantize %[[NUMBERS]], %[[UNITS]], %[[ZERO]] axis 0 block 32 : tensor<64x40xi4>, tensor<2x40xf32>, tensor<2x40xi4> -> tensor<64x40xf32>
// CHECK-NEXT: kernel.contract %arg0, %[[REAL]] {{.*}} : tensor<3x64xf32>, tensor<64x40xf32> -> tensor<3x40xf32>

// Zero points that differ are bytes, which lie as the scales do.
// CHECK: kernel.weight_ref @[[Z]] : tensor<2x4x32xi8>
// CHECK: prec.dequantize {{.*}} axis 0 block 16 : tensor<64x40xi8>, tensor<4x40xf32>, tensor<4x40xi8> -> tensor<64x40xf32>
// CHECK-NEXT: kernel.contract

// Terms that fill no words, terms that do not follow each other on the left, blocks of columns.
// CHECK-NOT: prec.
// CHECK-COUNT-3: kernel.contract {{.*}}rhs_packing = "* k n -> * n/32 k n%32"}

// A scale for each column is a block of all terms, and so is one for all; it may be f16, as the model's weights are then.
// CHECK-LABEL: func.func @columns(
// CHECK: prec.dequantize {{.*}} axis 0 block 64 : tensor<64x40xi8>, tensor<1x40xf32>, tensor<1x40xi8> -> tensor<64x40xf32>
// CHECK-NEXT: kernel.contract
// CHECK: prec.dequantize {{.*}} axis 0 block 64 : tensor<64x40xi8>, tensor<1x40xf16>, tensor<1x40xi8> -> tensor<64x40xf32>
// CHECK-NEXT: kernel.contract {{.*}} : tensor<3x64xf16>, tensor<64x40xf32> -> tensor<3x40xf32>

// What is dequantized is in the kernel that reads it.
// KERNEL: func.func private @{{.*}}(%{{.*}}: tensor<3x64xf32>, %[[W:.*]]: tensor<2x8x32x1xi32>, %[[S:.*]]: tensor<2x2x32xf32>) -> tensor<3x40xf32>
// KERNEL: prec.unpack %[[W]]
// KERNEL: prec.dequantize
// KERNEL: kernel.contract
// KERNEL: return

// Targets that have no such kernels get numbers.
// OTHER-NOT: prec.unpack

func.func @main(%a: tensor<3x64xf32>, %b: tensor<3x60xf32>, %c: tensor<64x3xf32>) -> (tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>) {
  %bytes = stablehlo.constant dense<[[1], [200]]> : tensor<2x1xui8>
  %repeated = stablehlo.broadcast_in_dim %bytes, dims = [0, 1] : (tensor<2x1xui8>) -> tensor<2x640xui8>
  %packed = stablehlo.reshape %repeated : (tensor<2x640xui8>) -> tensor<40x32xui8>
  %pairs = stablehlo.bitcast_convert %packed : (tensor<40x32xui8>) -> tensor<40x32x2xui4>
  %w = stablehlo.reshape %pairs : (tensor<40x32x2xui4>) -> tensor<40x64xui4>
  %units = stablehlo.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %manyUnits = stablehlo.broadcast_in_dim %units, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x40xf32>
  %s = stablehlo.reshape %manyUnits : (tensor<2x40xf32>) -> tensor<40x2xf32>
  %middle = stablehlo.constant dense<8> : tensor<40x2xui4>
  %d = prec.dequantize %w, %s, %middle axis 1 block 32 : tensor<40x64xui4>, tensor<40x2xf32>, tensor<40x2xui4> -> tensor<40x64xf32>
  %0 = stablehlo.dot_general %a, %d, contracting_dims = [1] x [1] : (tensor<3x64xf32>, tensor<40x64xf32>) -> tensor<3x40xf32>

  %more = stablehlo.broadcast_in_dim %bytes, dims = [0, 1] : (tensor<2x1xui8>) -> tensor<2x1280xui8>
  %v = stablehlo.reshape %more : (tensor<2x1280xui8>) -> tensor<64x40xui8>
  %fourUnits = stablehlo.broadcast_in_dim %units, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x80xf32>
  %t = stablehlo.reshape %fourUnits : (tensor<2x80xf32>) -> tensor<4x40xf32>
  %points = stablehlo.broadcast_in_dim %bytes, dims = [0, 1] : (tensor<2x1xui8>) -> tensor<2x80xui8>
  %z = stablehlo.reshape %points : (tensor<2x80xui8>) -> tensor<4x40xui8>
  %e = prec.dequantize %v, %t, %z axis 0 block 16 : tensor<64x40xui8>, tensor<4x40xf32>, tensor<4x40xui8> -> tensor<64x40xf32>
  %1 = stablehlo.dot_general %a, %e, contracting_dims = [1] x [0] : (tensor<3x64xf32>, tensor<64x40xf32>) -> tensor<3x40xf32>

  %fewer = stablehlo.slice %w [0:40, 0:60] : (tensor<40x64xui4>) -> tensor<40x60xui4>
  %f = prec.dequantize %fewer, %s, %middle axis 1 block 32 : tensor<40x60xui4>, tensor<40x2xf32>, tensor<40x2xui4> -> tensor<40x60xf32>
  %2 = stablehlo.dot_general %b, %f, contracting_dims = [1] x [1] : (tensor<3x60xf32>, tensor<40x60xf32>) -> tensor<3x40xf32>
  %3 = stablehlo.dot_general %c, %d, contracting_dims = [0] x [1] : (tensor<64x3xf32>, tensor<40x64xf32>) -> tensor<3x40xf32>
  %acrossUnits = stablehlo.broadcast_in_dim %units, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x64xf32>
  %acrossPoints = stablehlo.constant dense<8> : tensor<2x64xui4>
  %g0 = stablehlo.reshape %acrossUnits : (tensor<2x64xf32>) -> tensor<2x64xf32>
  %g = prec.dequantize %w, %g0, %acrossPoints axis 0 block 32 : tensor<40x64xui4>, tensor<2x64xf32>, tensor<2x64xui4> -> tensor<40x64xf32>
  %4 = stablehlo.dot_general %a, %g, contracting_dims = [1] x [1] : (tensor<3x64xf32>, tensor<40x64xf32>) -> tensor<3x40xf32>
  return %0, %1, %2, %3, %4 : tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>, tensor<3x40xf32>
}

func.func @columns(%a: tensor<3x64xf32>, %h: tensor<3x64xf16>) -> (tensor<3x40xf32>, tensor<3x40xf16>) {
  %bytes = stablehlo.constant dense<[[1], [200]]> : tensor<2x1xui8>
  %repeated = stablehlo.broadcast_in_dim %bytes, dims = [0, 1] : (tensor<2x1xui8>) -> tensor<2x1280xui8>
  %w = stablehlo.reshape %repeated : (tensor<2x1280xui8>) -> tensor<40x64xui8>
  %units = stablehlo.constant dense<[[0.5], [0.25]]> : tensor<2x1xf32>
  %manyUnits = stablehlo.broadcast_in_dim %units, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x20xf32>
  %s = stablehlo.reshape %manyUnits : (tensor<2x20xf32>) -> tensor<40xf32>
  %points = stablehlo.constant dense<[[3], [7]]> : tensor<2x1xui8>
  %manyPoints = stablehlo.broadcast_in_dim %points, dims = [0, 1] : (tensor<2x1xui8>) -> tensor<2x20xui8>
  %z = stablehlo.reshape %manyPoints : (tensor<2x20xui8>) -> tensor<40xui8>
  %d = prec.dequantize %w, %s, %z axis 0 : tensor<40x64xui8>, tensor<40xf32>, tensor<40xui8> -> tensor<40x64xf32>
  %0 = stablehlo.dot_general %a, %d, contracting_dims = [1] x [1] : (tensor<3x64xf32>, tensor<40x64xf32>) -> tensor<3x40xf32>
  %t = stablehlo.constant dense<0.5> : tensor<f16>
  %zero = stablehlo.constant dense<128> : tensor<ui8>
  %e = prec.dequantize %w, %t, %zero : tensor<40x64xui8>, tensor<f16>, tensor<ui8> -> tensor<40x64xf16>
  %1 = stablehlo.dot_general %h, %e, contracting_dims = [1] x [1] : (tensor<3x64xf16>, tensor<40x64xf16>) -> tensor<3x40xf16>
  return %0, %1 : tensor<3x40xf32>, tensor<3x40xf16>
}
