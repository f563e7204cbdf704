// RUN: heddle-opt --heddle-simplify --mlir-print-debuginfo --mlir-print-local-scope %s | FileCheck %s

// CHECK-LABEL: func.func @small
// CHECK-NEXT: %[[C:.*]] = stablehlo.constant dense<[5.000000e+00, 9.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: return %[[C]]
func.func @small() -> tensor<2xf32> {
  %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<[3.0, 5.0]> : tensor<2xf32>
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// A repeated scalar is shorter as an operation.
// CHECK-LABEL: func.func @growing
// CHECK: stablehlo.iota
// CHECK: stablehlo.broadcast_in_dim
func.func @growing() -> (tensor<1000xf32>, tensor<1000xf32>) {
  %0 = stablehlo.iota dim = 0 : tensor<1000xf32>
  %1 = stablehlo.constant dense<[2.0]> : tensor<1xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<1xf32>) -> tensor<1000xf32>
  return %0, %2 : tensor<1000xf32>, tensor<1000xf32>
}

// Over 1 MiB: left to the packer.
// CHECK-LABEL: func.func @large
// CHECK: stablehlo.add
func.func @large() -> tensor<1024x1024xf32> {
  %0 = stablehlo.constant dense<2.0> : tensor<1024x1024xf32>
  %1 = stablehlo.add %0, %0 : tensor<1024x1024xf32>
  return %1 : tensor<1024x1024xf32>
}

// Equal operations are computed once and keep both names.
// CHECK-LABEL: func.func @equal
// CHECK-NEXT: %[[E:.*]] = stablehlo.exponential %{{.*}} : tensor<2xf32> loc(fused["first", "second"])
// CHECK-NEXT: stablehlo.add %[[E]], %[[E]]
func.func @equal(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.exponential %x : tensor<2xf32> loc("first")
  %1 = stablehlo.exponential %x : tensor<2xf32> loc("second")
  %2 = stablehlo.add %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}

// The region uses a constant from outside, which is not there when the operation is evaluated alone.
// CHECK-LABEL: func.func @captured
// CHECK: stablehlo.reduce
func.func @captured() -> tensor<f32> {
  %0 = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %1 = stablehlo.constant dense<3.0> : tensor<f32>
  %2 = stablehlo.reduce(%0 init: %1) across dimensions = [0] : (tensor<2xf32>, tensor<f32>) -> tensor<f32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %3 = stablehlo.add %a, %1 : tensor<f32>
    stablehlo.return %3 : tensor<f32>
  }
  return %2 : tensor<f32>
}
