// RUN: heddle-opt %s --heddle-inline-composites --split-input-file | FileCheck %s

// There is a kernel for attention in f32; in other types its decomposition is compiled.
// CHECK-LABEL: func.func @main
// CHECK-NEXT: stablehlo.composite "heddle.attention"
func.func private @whole(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2x4xf32>, tensor<3x4xf32>) -> tensor<2x3xf32>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {causal = false, scale = 1.0 : f32}, decomposition = @whole} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: stablehlo.dot_general
// CHECK-NEXT: return
func.func private @whole(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.dot_general %q, %k, contracting_dims = [1] x [1] : (tensor<2x4xbf16>, tensor<3x4xbf16>) -> tensor<2x3xbf16>
  %1 = stablehlo.dot_general %0, %v, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %1 : tensor<2x4xbf16>
}
func.func @main(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {causal = false, scale = 1.0 : f32}, decomposition = @whole} : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}
