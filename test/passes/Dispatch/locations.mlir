// RUN: heddle-opt %s --split-input-file --heddle-graph --heddle-lower --heddle-dispatch=target=x86-64-v3 --heddle-plan | FileCheck %s

// Every node that a launch computes is named, whatever was fused.
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  // CHECK: plan.launch @{{.*}} nodes ["MatMul_0", "Exp_1", "Neg_2"]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32> loc("MatMul_0")
  %1 = stablehlo.exponential %0 : tensor<8x16xf32> loc("Exp_1")
  %2 = stablehlo.negate %1 : tensor<8x16xf32> loc("Neg_2")
  return %2 : tensor<8x16xf32>
}

// -----

// Equal constants are one, and name none of the nodes that read them.
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %v: tensor<16x16xf32>) -> tensor<8x16xf32> {
  // CHECK: plan.launch @{{.*}} nodes ["MatMul_0", "Mul_1"]
  // CHECK: plan.launch @{{.*}} nodes ["MatMul_2", "Mul_3"]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32> loc("MatMul_0")
  %half = stablehlo.constant dense<0.3> : tensor<f32> loc("Mul_1")
  %1 = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<8x16xf32> loc("Mul_1")
  %2 = stablehlo.multiply %0, %1 : tensor<8x16xf32> loc("Mul_1")
  %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32> loc("MatMul_2")
  %4 = stablehlo.broadcast_in_dim %half, dims = [] : (tensor<f32>) -> tensor<8x16xf32> loc("Mul_3")
  %5 = stablehlo.multiply %3, %4 : tensor<8x16xf32> loc("Mul_3")
  return %5 : tensor<8x16xf32>
}
