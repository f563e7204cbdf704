// RUN: heddle-opt %s --heddle-lower --heddle-dispatch=target=x86-64-v3 --heddle-plan | FileCheck %s

// Every node that a launch computes is named, whatever was fused.
func.func @main(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<8x16xf32> {
  // CHECK: plan.launch @{{.*}} nodes ["MatMul_0", "Exp_1", "Neg_2"]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32> loc("MatMul_0")
  %1 = stablehlo.exponential %0 : tensor<8x16xf32> loc("Exp_1")
  %2 = stablehlo.negate %1 : tensor<8x16xf32> loc("Neg_2")
  return %2 : tensor<8x16xf32>
}
