// RUN: heddle-opt %s --split-input-file | heddle-opt --split-input-file | FileCheck %s
// RUN: heddle-opt %s --split-input-file --mlir-print-op-generic | heddle-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func @dispatch
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @dispatch(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.dispatch(%[[A:.*]] = %[[X]] : tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.yield %[[A]] : tensor<4xf32>
  %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {
    kernel.yield %a : tensor<4xf32>
  }
  // CHECK: kernel.dispatch() -> (tensor<2xf32>, tensor<i64>) {
  %1:2 = kernel.dispatch() -> (tensor<2xf32>, tensor<i64>) {
    %c = arith.constant dense<1.0> : tensor<2xf32>
    %d = arith.constant dense<1> : tensor<i64>
    kernel.yield %c, %d : tensor<2xf32>, tensor<i64>
  }
  return %0 : tensor<4xf32>
}

// -----

// CHECK: kernel.weight @w0 : tensor<3x40xf32> packing "* k n -> * n/32 k n%32" {
kernel.weight @w0 : tensor<3x40xf32> packing "* k n -> * n/32 k n%32" {
  %0 = arith.constant dense<1.0> : tensor<3x40xf32>
  kernel.yield %0 : tensor<3x40xf32>
}
// CHECK: kernel.weight @w1 : tensor<4xf32> {
kernel.weight @w1 : tensor<4xf32> {
  %0 = arith.constant dense<1.0> : tensor<4xf32>
  kernel.yield %0 : tensor<4xf32>
}
// CHECK: func private @k0({{.*}}tensor<4xf32>{{.*}}kernel.in_place = 0
func.func private @k0(%x: tensor<4xf32> {kernel.in_place = 0}, %w: tensor<2x3x32xf32>) -> tensor<4xf32> attributes {kernel.entry} {
  return %x : tensor<4xf32>
}
// CHECK-LABEL: func @main
func.func @main() -> tensor<4xf32> {
  // CHECK: %[[W0:.*]] = kernel.weight_ref @w0 : tensor<2x3x32xf32>
  %w0 = kernel.weight_ref @w0 : tensor<2x3x32xf32>
  // CHECK: %[[W1:.*]] = kernel.weight_ref @w1 : tensor<4xf32>
  %w1 = kernel.weight_ref @w1 : tensor<4xf32>
  // CHECK: kernel.launch @k0(%[[W1]], %[[W0]]) : (tensor<4xf32>, tensor<2x3x32xf32>) -> tensor<4xf32>
  %0 = kernel.launch @k0(%w1, %w0) : (tensor<4xf32>, tensor<2x3x32xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK: kernel.weight @grouped : tensor<3x3x2x40xf32> packing "* i (g=2 o) -> g o/32 * i o%32" {
kernel.weight @grouped : tensor<3x3x2x40xf32> packing "* i (g=2 o) -> g o/32 * i o%32" {
  %0 = arith.constant dense<1.0> : tensor<3x3x2x40xf32>
  kernel.yield %0 : tensor<3x3x2x40xf32>
}
func.func @grouped_ref() -> tensor<2x1x3x3x2x32xf32> {
  // CHECK: kernel.weight_ref @grouped : tensor<2x1x3x3x2x32xf32>
  %w = kernel.weight_ref @grouped : tensor<2x1x3x3x2x32xf32>
  return %w : tensor<2x1x3x3x2x32xf32>
}

// -----

func.func private @scaled(%x: tensor<4xf32>, %scale: f32, %zero: i8) -> tensor<4xf32> attributes {kernel.entry} {
  return %x : tensor<4xf32>
}
// CHECK-LABEL: func @numbers
func.func @numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: kernel.launch @scaled(%{{.*}}) scalars [2.500000e-01 : f32, -3 : i8] : (tensor<4xf32>) -> tensor<4xf32>
  %0 = kernel.launch @scaled(%x) scalars [0.25 : f32, -3 : i8] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @k(tensor<4xf32>, index, f32) -> tensor<4xf32> attributes {kernel.entry}
// CHECK-LABEL: func @sizes
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>, %[[N:[^:]*]]: index
func.func @sizes(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // CHECK: %[[Y:.*]] = kernel.launch @k(%[[X]]) sizes(%[[N]]) scalars [2.500000e+00 : f32] : (tensor<4xf32>) -> tensor<4xf32>
  %0 = kernel.launch @k(%x) sizes(%n) scalars [2.5 : f32] : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: kernel.dispatch(%{{.*}} = %[[Y]] : tensor<4xf32>, %{{.*}} = %[[N]] : index) -> tensor<4xf32>
  %1 = kernel.dispatch(%a = %0 : tensor<4xf32>, %b = %n : index) -> tensor<4xf32> {
    kernel.yield %a : tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// CHECK: kernel.weight @halves : tensor<4x6xi4> packing "k n -> n/3 k/2 n%3 k%2 in u8" block [2, 3] scale @s zero_point @z {
kernel.weight @halves : tensor<4x6xi4> packing "k n -> n/3 k/2 n%3 k%2 in u8" block [2, 3] scale @s zero_point @z {
  %0 = arith.constant dense<1> : tensor<4x6xi4>
  kernel.yield %0 : tensor<4x6xi4>
}
kernel.weight @s : tensor<2x2xf32> {
  %0 = arith.constant dense<1.0> : tensor<2x2xf32>
  kernel.yield %0 : tensor<2x2xf32>
}
kernel.weight @z : tensor<2x2xi4> {
  %0 = arith.constant dense<1> : tensor<2x2xi4>
  kernel.yield %0 : tensor<2x2xi4>
}
func.func @halves_ref() -> tensor<2x2x3x1xi8> {
  // CHECK: kernel.weight_ref @halves : tensor<2x2x3x1xi8>
  %w = kernel.weight_ref @halves : tensor<2x2x3x1xi8>
  return %w : tensor<2x2x3x1xi8>
}
