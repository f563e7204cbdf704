// RUN: heddle-opt --heddle-simplify %s | FileCheck %s

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: return %[[X]]
func.func @neutral(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %ones = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %zeros, %x : tensor<2xf32>
  %1 = stablehlo.subtract %0, %zeros : tensor<2xf32>
  %2 = stablehlo.multiply %1, %ones : tensor<2xf32>
  %3 = stablehlo.divide %2, %ones : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// 0 - x is not x, and x * 0 is not 0 for an infinite x.
// CHECK-LABEL: func.func @not_neutral
// CHECK: stablehlo.subtract
// CHECK: stablehlo.multiply
func.func @not_neutral(%x: tensor<2xf32>) -> tensor<2xf32> {
  %zeros = stablehlo.constant dense<0.0> : tensor<2xf32>
  %0 = stablehlo.subtract %zeros, %x : tensor<2xf32>
  %1 = stablehlo.multiply %0, %zeros : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @powers
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>)
// CHECK-NEXT: %[[S:.*]] = stablehlo.multiply %[[X]], %[[X]]
// CHECK-NEXT: return %[[S]], %[[X]]
func.func @powers(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2xf32>
  %0 = stablehlo.power %x, %two : tensor<2xf32>
  %1 = stablehlo.power %x, %one : tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @exact_reciprocal
// CHECK: %[[C:.*]] = stablehlo.constant dense<1.250000e-01>
// CHECK: stablehlo.multiply %{{.*}}, %[[C]]
func.func @exact_reciprocal(%x: tensor<2xf32>) -> tensor<2xf32> {
  %eight = stablehlo.constant dense<8.0> : tensor<2xf32>
  %0 = stablehlo.divide %x, %eight : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// 1 / 3 is not a number of this type.
// CHECK-LABEL: func.func @inexact_reciprocal
// CHECK: stablehlo.divide
func.func @inexact_reciprocal(%x: tensor<2xf32>) -> tensor<2xf32> {
  %three = stablehlo.constant dense<3.0> : tensor<2xf32>
  %0 = stablehlo.divide %x, %three : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// CHECK-LABEL: func.func @logistic
// CHECK-NEXT: stablehlo.logistic %{{.*}} : tensor<2xf32>
// CHECK-NEXT: return
func.func @logistic(%x: tensor<2xf32>) -> tensor<2xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.negate %x : tensor<2xf32>
  %1 = stablehlo.exponential %0 : tensor<2xf32>
  %2 = stablehlo.add %1, %one : tensor<2xf32>
  %3 = stablehlo.divide %one, %2 : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// CHECK-LABEL: func.func @select_and_logic
// CHECK-SAME: (%[[P:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %{{.*}}: tensor<2xf32>)
// CHECK-NEXT: return %[[P]], %[[X]]
func.func @select_and_logic(%p: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xi1>, tensor<2xf32>) {
  %true = stablehlo.constant dense<true> : tensor<2xi1>
  %0 = stablehlo.and %p, %true : tensor<2xi1>
  %1 = stablehlo.or %0, %p : tensor<2xi1>
  %2 = stablehlo.select %true, %x, %y : tensor<2xi1>, tensor<2xf32>
  return %1, %2 : tensor<2xi1>, tensor<2xf32>
}

// CHECK-LABEL: func.func @lossless_conversion
// CHECK-NEXT: stablehlo.convert %{{.*}} : (tensor<2xi8>) -> tensor<2xf64>
// CHECK-NEXT: return
func.func @lossless_conversion(%x: tensor<2xi8>) -> tensor<2xf64> {
  %0 = stablehlo.convert %x : (tensor<2xi8>) -> tensor<2xf32>
  %1 = stablehlo.convert %0 : (tensor<2xf32>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}

// The way through f16 rounds.
// CHECK-LABEL: func.func @lossy_conversion
// CHECK-NEXT: stablehlo.convert
// CHECK-NEXT: stablehlo.convert
func.func @lossy_conversion(%x: tensor<2xf32>) -> tensor<2xf64> {
  %0 = stablehlo.convert %x : (tensor<2xf32>) -> tensor<2xf16>
  %1 = stablehlo.convert %0 : (tensor<2xf16>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
