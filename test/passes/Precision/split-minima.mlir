// RUN: heddle-opt %s --split-input-file --heddle-split-minima | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x64xf32>, %[[Q:.*]]: tensor<16x64xui4>, %[[S:.*]]: tensor<16x2xf32>, %[[M:.*]]: tensor<16x2xf32>)
func.func @rows(%x: tensor<2x3x64xf32>, %q: tensor<16x64xui4>, %s: tensor<16x2xf32>, %m: tensor<16x2xf32>) -> tensor<2x3x16xf32> {
  // CHECK: %[[D:.*]] = prec.dequantize %[[Q]]
  // CHECK: %[[A:.*]] = stablehlo.dot_general %[[X]], %[[D]], contracting_dims = [2] x [1]
  // CHECK: %[[B:.*]] = stablehlo.reshape %[[X]] : (tensor<2x3x64xf32>) -> tensor<2x3x2x32xf32>
  // CHECK: %[[R:.*]] = stablehlo.reduce(%[[B]] init: %{{.*}}) applies stablehlo.add across dimensions = [3] : {{.*}} -> tensor<2x3x2xf32>
  // CHECK: %[[C:.*]] = stablehlo.dot_general %[[R]], %[[M]], contracting_dims = [2] x [1], precision = [HIGHEST, HIGHEST] {heddle.minima} : (tensor<2x3x2xf32>, tensor<16x2xf32>) -> tensor<2x3x16xf32>
  // CHECK: %[[Y:.*]] = stablehlo.add %[[A]], %[[C]]
  // CHECK: return %[[Y]]
  %z = stablehlo.constant dense<0> : tensor<16x2xui4>
  %d = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<16x64xui4>, tensor<16x2xf32>, tensor<16x2xui4> -> tensor<16x64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<16x2xf32>) -> tensor<16x2x32xf32>
  %e = stablehlo.reshape %b : (tensor<16x2x32xf32>) -> tensor<16x64xf32>
  %w = stablehlo.add %d, %e : tensor<16x64xf32>
  %y = stablehlo.dot_general %x, %w, contracting_dims = [2] x [1] : (tensor<2x3x64xf32>, tensor<16x64xf32>) -> tensor<2x3x16xf32>
  return %y : tensor<2x3x16xf32>
}

// -----

// The transpose is one of the integers; a size that calls choose stays one.
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<8x64xf32, #size.extents<n, 64>>, %q: tensor<16x64xi8>, %s: tensor<16x2xf32>, %m: tensor<16x2xf32>) -> tensor<8x16xf32, #size.extents<n, 16>> {
  // CHECK: %[[D:.*]] = prec.dequantize
  // CHECK: %[[T:.*]] = stablehlo.transpose %[[D]], dims = [1, 0]
  // CHECK: stablehlo.dot_general %{{.*}}, %[[T]], contracting_dims = [1] x [0]
  // CHECK: stablehlo.reduce({{.*}} -> tensor<8x2xf32, #size.extents<n, 2>>
  // CHECK: stablehlo.dot_general {{.*}}contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] {heddle.minima} : (tensor<8x2xf32, #size.extents<n, 2>>, tensor<16x2xf32>) -> tensor<8x16xf32, #size.extents<n, 16>>
  %z = stablehlo.constant dense<0> : tensor<16x2xi8>
  %d = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<16x64xi8>, tensor<16x2xf32>, tensor<16x2xi8> -> tensor<16x64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<16x2xf32>) -> tensor<16x2x32xf32>
  %e = stablehlo.reshape %b : (tensor<16x2x32xf32>) -> tensor<16x64xf32>
  %w = stablehlo.add %d, %e : tensor<16x64xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
  %y = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<8x64xf32, #size.extents<n, 64>>, tensor<64x16xf32>) -> tensor<8x16xf32, #size.extents<n, 16>>
  return %y : tensor<8x16xf32, #size.extents<n, 16>>
}

// -----

// Transposes that cancel each other are none.
// CHECK-LABEL: func.func @twice
// CHECK: %[[D:.*]] = prec.dequantize
// CHECK: stablehlo.dot_general %{{.*}}, %[[D]], contracting_dims = [1] x [1] :
// CHECK: stablehlo.dot_general {{.*}} {heddle.minima}
func.func @twice(%x: tensor<8x64xf32>, %q: tensor<16x64xi8>, %s: tensor<16x2xf32>, %m: tensor<16x2xf32>) -> tensor<8x16xf32> {
  %z = stablehlo.constant dense<0> : tensor<16x2xi8>
  %d = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<16x64xi8>, tensor<16x2xf32>, tensor<16x2xi8> -> tensor<16x64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<16x2xf32>) -> tensor<16x2x32xf32>
  %e = stablehlo.reshape %b : (tensor<16x2x32xf32>) -> tensor<16x64xf32>
  %w = stablehlo.add %d, %e : tensor<16x64xf32>
  %t = stablehlo.transpose %w, dims = [1, 0] : (tensor<16x64xf32>) -> tensor<64x16xf32>
  %u = stablehlo.transpose %t, dims = [1, 0] : (tensor<64x16xf32>) -> tensor<16x64xf32>
  %y = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
  return %y : tensor<8x16xf32>
}

// -----

// Numbers of two bits are floats in any kernel; what is added to each element is no minimum; a product over the rows has no blocks; and what the
// model wants exact stays.
// CHECK-LABEL: func.func @others
// CHECK-NOT: stablehlo.reduce
func.func @others(%x: tensor<3x64xf32>, %u: tensor<3x16xf32>, %q: tensor<16x64xui4>, %r: tensor<16x64xui2>, %s: tensor<16x2xf32>, %m: tensor<16x2xf32>, %a: tensor<16x64xf32>)
    -> (tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x64xf32>, tensor<3x16xf32>) {
  %z = stablehlo.constant dense<0> : tensor<16x2xui4>
  %y = stablehlo.constant dense<0> : tensor<16x2xui2>
  %d = prec.dequantize %q, %s, %z axis 1 block 32 : tensor<16x64xui4>, tensor<16x2xf32>, tensor<16x2xui4> -> tensor<16x64xf32>
  %f = prec.dequantize %r, %s, %y axis 1 block 32 : tensor<16x64xui2>, tensor<16x2xf32>, tensor<16x2xui2> -> tensor<16x64xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<16x2xf32>) -> tensor<16x2x32xf32>
  %e = stablehlo.reshape %b : (tensor<16x2x32xf32>) -> tensor<16x64xf32>
  %v = stablehlo.add %f, %e : tensor<16x64xf32>
  %w = stablehlo.add %d, %e : tensor<16x64xf32>
  %o = stablehlo.add %d, %a : tensor<16x64xf32>
  %0 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [1] : (tensor<3x64xf32>, tensor<16x64xf32>) -> tensor<3x16xf32>
  %1 = stablehlo.dot_general %x, %o, contracting_dims = [1] x [1] : (tensor<3x64xf32>, tensor<16x64xf32>) -> tensor<3x16xf32>
  %2 = stablehlo.dot_general %u, %w, contracting_dims = [1] x [0] : (tensor<3x16xf32>, tensor<16x64xf32>) -> tensor<3x64xf32>
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1], precision = [HIGHEST, HIGHEST] : (tensor<3x64xf32>, tensor<16x64xf32>) -> tensor<3x16xf32>
  return %0, %1, %2, %3 : tensor<3x16xf32>, tensor<3x16xf32>, tensor<3x64xf32>, tensor<3x16xf32>
}
