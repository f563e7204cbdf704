// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() {
  // CHECK-NEXT: stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %0 = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  // CHECK-NEXT: stablehlo.constant {note = "x"} dense<1.000000e+00> : tensor<f32>
  %1 = stablehlo.constant {note = "x"} dense<1.0> : tensor<f32>
  // CHECK-NEXT: stablehlo.constant() {value = dense<1> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 5.000000e-01:3>>
  %2 = stablehlo.constant() {value = dense<1> : tensor<4xi8>} : () -> tensor<4x!quant.uniform<i8:f32, 0.5:3>>
  // CHECK-NEXT: stablehlo.iota dim = 1 : tensor<2x3xf32>
  %3 = stablehlo.iota dim = 1 : tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @movement
func.func @movement(%x: tensor<2x3xf32>, %s: tensor<f32>) {
  // CHECK-NEXT: stablehlo.bitcast_convert %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  %0 = stablehlo.bitcast_convert %x : (tensor<2x3xf32>) -> tensor<2x3x4xi8>
  // CHECK-NEXT: stablehlo.broadcast_in_dim %{{.*}}, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  %1 = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  // CHECK-NEXT: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // CHECK-NEXT: stablehlo.pad %{{.*}}, %{{.*}}, low = [0, 1], high = [0, -1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  %3 = stablehlo.pad %x, %s, low = [0, 1], high = [0, -1], interior = [0, 2] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x7xf32>
  // CHECK-NEXT: stablehlo.reshape %{{.*}} : (tensor<2x3xf32>) -> tensor<6xf32>
  %4 = stablehlo.reshape %x : (tensor<2x3xf32>) -> tensor<6xf32>
  // CHECK-NEXT: stablehlo.reverse %{{.*}}, dims = [1] : tensor<2x3xf32>
  %5 = stablehlo.reverse %x, dims = [1] : tensor<2x3xf32>
  // CHECK-NEXT: stablehlo.slice %{{.*}} [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  %6 = stablehlo.slice %x [0:1, 0:3:2] : (tensor<2x3xf32>) -> tensor<1x2xf32>
  // CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %7 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // CHECK-NEXT: stablehlo.get_dimension_size %{{.*}}, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  %8 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
  return
}

// Bounds go through operations.
// CHECK-LABEL: func.func @bounds
// CHECK-SAME: %{{.*}}: tensor<?x3xf32, #stablehlo.bounds<8, ?>>
func.func @bounds(%x: tensor<?x3xf32, #stablehlo.bounds<8, ?>>, %y: tensor<?x3xf32, #stablehlo.bounds<8, ?>>) {
  // CHECK-NEXT: stablehlo.add %{{.*}} : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  %0 = stablehlo.add %x, %y : tensor<?x3xf32, #stablehlo.bounds<8, ?>>
  // CHECK-NEXT: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 8>>
  %1 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x3xf32, #stablehlo.bounds<8, ?>>) -> tensor<3x?xf32, #stablehlo.bounds<?, 8>>
  return
}
