// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

// Zeros added once more change nothing: padding is skipped.
// CHECK-LABEL: func @neutral
func.func @neutral(%x: tensor<5xf32>) -> tensor<5xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // CHECK: kernel.reduce_window
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// Any other initial value is read where the window leaves the input.
// CHECK-LABEL: func @counted
// CHECK-SAME: %[[X:.*]]: tensor<5xf32>, %[[INIT:.*]]: tensor<f32>
func.func @counted(%x: tensor<5xf32>, %init: tensor<f32>) -> tensor<5xf32> {
  // CHECK: %[[W:.*]] = tensor.empty() : tensor<2xi8>
  // CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "reduction"]} ins(%[[W]], %[[INIT]]
  // CHECK: %[[E:.*]] = tensor.extract %[[X]]
  // CHECK: arith.select %{{.*}}, %[[E]], %{{.*}} : f32
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 2>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
