// An attention over open sizes stays one where its kernel can be told them.

// RUN: heddle-opt %s --split-input-file --heddle-bound-dimensions=masks-all | FileCheck %s

// Keys alone: their number. The products keep what they ask for.
// CHECK-LABEL: func.func @main
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x5x4xf32>
// CHECK-SAME: %[[N:[^:]*]]: tensor<i32> {heddle.extent = "n"}
// CHECK: stablehlo.composite "heddle.attention" %[[Q]], %{{[^,]*}}, %{{[^,]*}}, %[[N]] {composite_attributes = {causal = true, optional = ["lengths"], scale = 5.000000e-01 : f32}, decomposition = @[[WITH:.*]]} : (tensor<2x5x4xf32>, tensor<2x8x4xf32>, tensor<2x8x6xf32>, tensor<i32>) -> tensor<2x5x6xf32>
// CHECK: func.func private @[[WITH]]
// CHECK-SAME: tensor<i32>) -> tensor<2x5x6xf32>
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGHEST, HIGHEST]
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGH, DEFAULT]
!open = tensor<2x8x4xf32, #size.extents<2, n, 4>>
!values = tensor<2x8x6xf32, #size.extents<2, n, 6>>
!scores = tensor<2x5x8xf32, #size.extents<2, 5, n>>
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}]} {
  func.func @main(%q: tensor<2x5x4xf32>, %k: !open, %v: !values) -> tensor<2x5x6xf32> {
    %0 = stablehlo.composite "heddle.attention" %q, %k, %v {composite_attributes = {causal = true, scale = 0.5 : f32}, decomposition = @attention} : (tensor<2x5x4xf32>, !open, !values) -> tensor<2x5x6xf32>
    return %0 : tensor<2x5x6xf32>
  }
  func.func private @attention(%q: tensor<2x5x4xf32>, %k: !open, %v: !values) -> tensor<2x5x6xf32> {
    %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<2x5x4xf32>, !open) -> !scores
    %1 = stablehlo.dot_general %0, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, DEFAULT] : (!scores, !values) -> tensor<2x5x6xf32>
    return %1 : tensor<2x5x6xf32>
  }
}

// -----

// No keys at all would be a row of zeros: its operations are masked.
// CHECK-LABEL: func.func @main
// CHECK-NOT: composite
// CHECK: stablehlo.select
// CHECK: stablehlo.dot_general
!open = tensor<2x8x4xf32, #size.extents<2, n, 4>>
!scores = tensor<2x5x8xf32, #size.extents<2, 5, n>>
module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 8 : i64}]} {
  func.func @main(%q: tensor<2x5x4xf32>, %k: !open) -> tensor<2x5x4xf32> {
    %0 = stablehlo.composite "heddle.attention" %q, %k, %k {composite_attributes = {scale = 0.5 : f32}, decomposition = @attention} : (tensor<2x5x4xf32>, !open, !open) -> tensor<2x5x4xf32>
    return %0 : tensor<2x5x4xf32>
  }
  func.func private @attention(%q: tensor<2x5x4xf32>, %k: !open, %v: !open) -> tensor<2x5x4xf32> {
    %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x5x4xf32>, !open) -> !scores
    %1 = stablehlo.dot_general %0, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (!scores, !open) -> tensor<2x5x4xf32>
    return %1 : tensor<2x5x4xf32>
  }
}

// -----

// Queries that are placed by how many there are.
// CHECK-LABEL: func.func @main
// CHECK-NOT: composite
// CHECK: stablehlo.dot_general
!open = tensor<2x8x4xf32, #size.extents<2, n, 4>>
!scores = tensor<2x8x8xf32, #size.extents<2, n, n>>
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}]} {
  func.func @main(%q: !open, %k: !open) -> !open {
    %0 = stablehlo.composite "heddle.attention" %q, %k, %k {composite_attributes = {causal = true, scale = 0.5 : f32}, decomposition = @attention} : (!open, !open, !open) -> !open
    return %0 : !open
  }
  func.func private @attention(%q: !open, %k: !open, %v: !open) -> !open {
    %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (!open, !open) -> !scores
    %1 = stablehlo.dot_general %0, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (!scores, !open) -> !open
    return %1 : !open
  }
}
