// RUN: heddle-opt %s --heddle-assign-factors --split-input-file --verify-diagnostics | FileCheck %s

// Each product has the factors that were assigned to it; a value is rounded once to each type.
// CHECK: module attributes {heddle.precision = "bf16 in 2, f16 in 1 of 4 contractions and convolutions"}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>, %[[W:.*]]: tensor<64x32xf32>)
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  // CHECK-DAG: %[[XB:.*]] = stablehlo.convert %[[X]] : (tensor<8x64xf32>) -> tensor<8x64xbf16>
  // CHECK-DAG: %[[WB:.*]] = stablehlo.convert %[[W]] : (tensor<64x32xf32>) -> tensor<64x32xbf16>
  // CHECK-DAG: %[[XH:.*]] = stablehlo.convert %[[X]] : (tensor<8x64xf32>) -> tensor<8x64xf16>
  // CHECK-DAG: %[[WH:.*]] = stablehlo.convert %[[W]] : (tensor<64x32xf32>) -> tensor<64x32xf16>
  // CHECK-NOT: stablehlo.convert
  // CHECK: stablehlo.dot_general %[[XB]], %[[WB]], contracting_dims = [1] x [0] : (tensor<8x64xbf16>, tensor<64x32xbf16>) -> tensor<8x32xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "bf16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[W]],
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[XH]], %[[WH]],
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "f16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[XB]], %[[WB]],
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "bf16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0, %1, %2, %3 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  // expected-error @below {{the factors are to be 'tf32'; bf16, f16, w8a16, w4a16 or w8a8 is wanted}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "tf32"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

// Weights become integers, each form once; nothing is left of what was asked.
// CHECK: module attributes {heddle.precision = "w8a16 in 2, w4a16 in 1 of 4 contractions and convolutions"}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<8x64xf32>)
func.func @main(%x: tensor<8x64xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  // CHECK: %[[W:.*]] = stablehlo.constant dense_resource<w>
  // CHECK-DAG: %[[BYTES:.*]] = prec.dequantize {{.*}} axis 0 block 32 : tensor<64x32xi8>, tensor<2x32xbf16>
  // CHECK-DAG: %[[NIBBLES:.*]] = prec.dequantize {{.*}} axis 0 block 32 : tensor<64x32xi4>, tensor<2x32xbf16>
  // CHECK-NOT: prec.dequantize
  // CHECK-NOT: heddle.factors
  %w = stablehlo.constant dense_resource<w> : tensor<64x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[BYTES]],
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[NIBBLES]],
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w4a16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[BYTES]],
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  // CHECK: stablehlo.dot_general %[[X]], %[[W]],
  %3 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0, %1, %2, %3 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// -----

// CHECK: module attributes {heddle.precision = "no narrower factors in any of 1 contractions and convolutions"}
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}

// -----

func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>) -> tensor<8x32xf32> {
  // expected-error @below {{the factors are to be 'w8a16', and the second one is no weight that kernels read so}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "w8a16"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
