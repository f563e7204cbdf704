// RUN: heddle-opt %s --heddle-inline-composites --split-input-file | FileCheck %s

// Some target may have a kernel for attention, of whatever types: its name stays beside its operations, which read the values around them.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[Q:.*]]: tensor<2x4xbf16>, %[[K:.*]]: tensor<3x4xbf16>, %[[V:.*]]: tensor<3x4xbf16>)
// CHECK-NEXT: %[[WHOLE:.*]] = kernel.composite "heddle.attention"(%[[Q]], %[[K]], %[[V]]) {causal = false, scale = 1.000000e+00 : f32} : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16> {
// CHECK-NEXT: %[[S:.*]] = stablehlo.dot_general %[[Q]], %[[K]]
// CHECK-NEXT: %[[R:.*]] = stablehlo.dot_general %[[S]], %[[V]]
// CHECK-NEXT: kernel.yield %[[R]]
// CHECK: return %[[WHOLE]]
// CHECK-NOT: func.func
func.func private @whole(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2x4xbf16>, tensor<3x4xbf16>) -> tensor<2x3xbf16>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %1 : tensor<2x4xbf16>
}
func.func @main(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {causal = false, scale = 1.0 : f32}, decomposition = @whole} : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}
