// A processor has a kernel for attention in f32; in other types it compiles the operations. Another target, with a kernel in bf16, takes the whole.

// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-select-composites | FileCheck %s --check-prefixes=BOTH,CPU
// RUN: heddle-opt %s --heddle-assign-target="target=x86-64-v3 spelled" -o %t.mlir
// RUN: sed 's/"attention f32 f32 f32"/"attention f32 f32 f32", "attention bf16 bf16 bf16"/' %t.mlir | heddle-opt --heddle-select-composites | FileCheck %s --check-prefixes=BOTH,OTHER
// RUN: heddle-opt %s --heddle-verify-lowered

// BOTH-LABEL: func.func @single
// BOTH-NEXT: kernel.attention %arg0, %arg1, %arg2 {causal, {{.*}}scale = 5.000000e-01 : f32} : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
// BOTH-NEXT: return
func.func @single(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %v: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {causal = true, scale = 0.5 : f32} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    kernel.yield %q : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// Two query heads to a key head.
// BOTH-LABEL: func.func @shared
// BOTH: kernel.attention %arg0, %arg1, %arg2 {extents = array<i64: 3, 2, 5, 7, 4, 4>
// BOTH-SAME: -> tensor<3x2x5x4xf32>
// BOTH: tensor.collapse_shape {{.*}} : tensor<3x2x5x4xf32> into tensor<6x5x4xf32>
func.func @shared(%q: tensor<6x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x4xf32>) -> tensor<6x5x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {} : (tensor<6x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<6x5x4xf32> {
    kernel.yield %q : tensor<6x5x4xf32>
  }
  return %0 : tensor<6x5x4xf32>
}

// BOTH-LABEL: func.func @half
// CPU-NEXT: return %arg0
// OTHER-NEXT: kernel.attention {{.*}} -> tensor<2x4xbf16>
func.func @half(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>, %v: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {} : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16> {
    kernel.yield %q : tensor<2x4xbf16>
  }
  return %0 : tensor<2x4xbf16>
}

// No rule for these heads: the operations.
// BOTH-LABEL: func.func @odd
// BOTH-NEXT: return %arg0
func.func @odd(%q: tensor<5x5x4xf32>, %k: tensor<3x7x4xf32>, %v: tensor<3x7x4xf32>) -> tensor<5x5x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {} : (tensor<5x5x4xf32>, tensor<3x7x4xf32>, tensor<3x7x4xf32>) -> tensor<5x5x4xf32> {
    kernel.yield %q : tensor<5x5x4xf32>
  }
  return %0 : tensor<5x5x4xf32>
}

// Sums in f64 are asked for, and no kernel for the whole gives them.
// BOTH-LABEL: func.func @wide_sums
// BOTH-NEXT: kernel.contract {{.*}}accumulator = f64
func.func @wide_sums(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>, %v: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %k) {scale = 0.5 : f32} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    %1 = kernel.contract %q, %v {
      extents = array<i64: 2, 4, 4>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], accumulator = f64
    } : tensor<2x4xf32>, tensor<4x4xf32> -> tensor<2x4xf32>
    kernel.yield %1 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}
