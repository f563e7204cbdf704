// RUN: heddle-opt %s --heddle-form-weights --split-input-file | FileCheck %s

// Equal programs are one weight; what only repeats a constant stays outside.
// CHECK: kernel.weight @w0 : tensor<2xf32> {
// CHECK-NEXT: stablehlo.constant
// CHECK-NEXT: kernel.yield
// CHECK: kernel.weight @w1 : tensor<3x2xf32> {
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[C]]
// CHECK-NEXT: kernel.yield %[[T]]
// CHECK-NOT: kernel.weight @
// CHECK-LABEL: func @main
func.func @main(%x: tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %b = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  // CHECK-DAG: %[[ZERO:.*]] = stablehlo.constant dense<0.000000e+00>
  %zero = stablehlo.constant dense<0.0> : tensor<3x2xf32>
  %t0 = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %t1 = stablehlo.transpose %c, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %bb = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<2xf32>) -> tensor<3x2xf32>
  // CHECK-DAG: %[[B:.*]] = kernel.weight_ref @w0 : tensor<2xf32>
  // CHECK-DAG: %[[BB:.*]] = stablehlo.broadcast_in_dim %[[B]]
  // CHECK-DAG: %[[W0:.*]] = kernel.weight_ref @w1 : tensor<3x2xf32>
  // CHECK-DAG: stablehlo.add %{{.*}}, %[[BB]]
  %0 = stablehlo.add %x, %bb : tensor<3x2xf32>
  %1 = stablehlo.add %0, %t0 : tensor<3x2xf32>
  %2 = stablehlo.multiply %1, %t1 : tensor<3x2xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<3x2xf32>
  return %3, %2 : tensor<3x2xf32>, tensor<3x2xf32>
}

// -----

// A folded scale is a program: the broadcast in it is never stored.
// CHECK: kernel.weight @w0 : tensor<2x3xf32> {
// CHECK: stablehlo.broadcast_in_dim
// CHECK: %[[M:.*]] = stablehlo.multiply
// CHECK: kernel.yield %[[M]]
// CHECK-NOT: kernel.weight @
// CHECK-LABEL: func @main
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>
  %s = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %m = stablehlo.multiply %w, %b : tensor<2x3xf32>
  %0 = stablehlo.add %x, %m : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// What can be computed from nothing is not stored.
// CHECK-LABEL: func @main
// CHECK-NOT: kernel.weight
func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: stablehlo.iota
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %c = stablehlo.constant dense<2> : tensor<4xi32>
  %m = stablehlo.multiply %i, %c : tensor<4xi32>
  %0 = stablehlo.add %x, %m : tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

// Weights that a model quantizes and dequantizes by itself are weights: no call computes them.
// CHECK: kernel.weight @w0 : tensor<2x3xf32> {
// CHECK: stablehlo.sign
// CHECK: stablehlo.compare
// CHECK: stablehlo.select
// CHECK: stablehlo.convert {{.*}} : (tensor<2x3xf32>) -> tensor<2x3xi8>
// CHECK-LABEL: func @main
// CHECK: %[[W:.*]] = kernel.weight_ref @w0
// CHECK-NEXT: stablehlo.add %arg0, %[[W]]
// CHECK-NEXT: return
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = stablehlo.constant dense<[[1.0, -2.5, 3.0], [4.0, 0x7FC00000, -0.0]]> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<2x3xf32>
  %sign = stablehlo.sign %w : tensor<2x3xf32>
  %abs = stablehlo.abs %w : tensor<2x3xf32>
  %floor = stablehlo.floor %abs : tensor<2x3xf32>
  %signed = stablehlo.multiply %sign, %floor : tensor<2x3xf32>
  %isNan = stablehlo.compare NE, %signed, %signed, FLOAT : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %number = stablehlo.select %isNan, %zero, %signed : tensor<2x3xi1>, tensor<2x3xf32>
  %q = stablehlo.convert %number : (tensor<2x3xf32>) -> tensor<2x3xi8>
  %d = stablehlo.convert %q : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %0 = stablehlo.add %x, %d : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// What a constant becomes on the way to a weight may be of any size, if it only repeats: scales along the rows of a large
// matrix are multiplied into it where it is packed.
// CHECK: kernel.weight @w0 : tensor<2x3xf32>
// CHECK: stablehlo.broadcast_in_dim
// CHECK: stablehlo.multiply
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[W:.*]] = kernel.weight_ref @w0
// CHECK-NEXT: stablehlo.add %{{.*}}, %[[W]]
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %large = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<2xf32>) -> tensor<2x30000000xf32>
  %part = stablehlo.slice %large [0:2, 0:3] : (tensor<2x30000000xf32>) -> tensor<2x3xf32>
  %w = stablehlo.multiply %part, %part : tensor<2x3xf32>
  %0 = stablehlo.add %x, %w : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

// What ranks have parts of is stored as it is, also where it only repeats.
// CHECK: kernel.weight @w0 : tensor<2x3xf32> {
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant
// CHECK-NEXT: %[[P:.*]] = dist.part %[[C]] cuts [1, 2, 1]
// CHECK-NEXT: %[[T:.*]] = stablehlo.transpose %[[P]]
// CHECK-NEXT: kernel.yield %[[T]]
// CHECK: kernel.weight @w1 : tensor<3xi32> {
// CHECK-NEXT: %[[I:.*]] = stablehlo.iota
// CHECK-NEXT: %[[Q:.*]] = dist.part %[[I]] cuts [0, 2, 1]
// CHECK-NEXT: kernel.yield %[[Q]]
// CHECK-LABEL: func @main
func.func @main() -> (tensor<2x3xf32>, tensor<3xi32>) {
  // CHECK-NOT: dist.part
  // CHECK: return
  %c = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  %p = dist.part %c cuts [1, 2, 1] : tensor<3x4xf32> -> tensor<3x2xf32>
  %t = stablehlo.transpose %p, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %i = stablehlo.iota dim = 0 : tensor<6xi32>
  %q = dist.part %i cuts [0, 2, 1] : tensor<6xi32> -> tensor<3xi32>
  return %t, %q : tensor<2x3xf32>, tensor<3xi32>
}
