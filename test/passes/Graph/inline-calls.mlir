// RUN: heddle-opt --heddle-inline-calls --symbol-dce --split-input-file --verify-diagnostics %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[A:.*]] = stablehlo.multiply %[[X]], %[[X]]
// CHECK-NEXT: %[[B:.*]] = stablehlo.multiply %[[A]], %[[A]]
// CHECK-NEXT: %[[C:.*]] = stablehlo.logistic %[[B]]
// CHECK-NEXT: %[[D:.*]] = stablehlo.multiply %[[B]], %[[C]]
// What later stages read by its name stays a composite.
// CHECK-NEXT: %[[E:.*]] = stablehlo.composite "chlo.erf" %[[D]]
// CHECK-NEXT: return %[[E]]
// CHECK-NOT: @square
// CHECK-NOT: @silu
// CHECK: func.func private @erf
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @twice(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.composite "heddle.silu" %0 {decomposition = @silu} : (tensor<2xf32>) -> tensor<2xf32>
  %2 = stablehlo.composite "chlo.erf" %1 {decomposition = @erf} : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @erf(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}
func.func private @twice(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.composite "chlo.square" %x {decomposition = @square} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = func.call @square(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @square(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @silu(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.logistic %x : tensor<2xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// expected-error @below {{[HDL-0302] function @main calls itself, directly or not; recursion is not compiled}}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @again(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @again(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = func.call @main(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
