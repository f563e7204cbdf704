// RUN: heddle-opt %s --heddle-inline-composites --mlir-print-debuginfo | FileCheck %s

// CHECK-NOT: @silu
func.func private @silu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.logistic %x : tensor<4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func private @nested(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "heddle.silu" %x {decomposition = @silu} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// CHECK: func private @erf
func.func private @erf(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
// CHECK-LABEL: func @main
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[S:.*]] = stablehlo.logistic %[[X]] : tensor<4xf32> loc(#[[NODE:.*]])
  // CHECK: %[[M:.*]] = stablehlo.multiply %[[X]], %[[S]] : tensor<4xf32> loc(#[[NODE]])
  %0 = stablehlo.composite "heddle.nested" %x {decomposition = @nested} : (tensor<4xf32>) -> tensor<4xf32> loc("Silu_7")
  // What is a scalar function stays whole.
  // CHECK: stablehlo.composite "chlo.erf" %[[M]]
  %1 = stablehlo.composite "chlo.erf" %0 {decomposition = @erf} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
// CHECK: #[[NODE]] = loc("Silu_7")
