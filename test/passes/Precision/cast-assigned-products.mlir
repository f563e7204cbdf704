// RUN: heddle-opt %s --heddle-cast-products=type=assigned --split-input-file --verify-diagnostics | FileCheck %s

// Each product has the factors that were assigned to it; a value is rounded once to each type.
// CHECK: module attributes {heddle.precision = "bf16 in 2 and f16 in 1 of 4 contractions and convolutions"}
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
  // expected-error @below {{the factors are to be 'tf32'; bf16 or f16 is wanted}}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] {heddle.factors = "tf32"} : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
