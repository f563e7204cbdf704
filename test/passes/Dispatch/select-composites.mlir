// A processor has a kernel for attention in f32; in other types it compiles the operations. Another target, with a kernel in bf16, takes the whole.

// RUN: heddle-opt %s --heddle-assign-target=target=x86-64-v3 --heddle-select-composites | FileCheck %s --check-prefixes=BOTH,CPU
// RUN: heddle-opt %s --heddle-assign-target="target=x86-64-v3 spelled" -o %t.mlir
// RUN: sed 's/"attention f32 f32 f32"/"attention f32 f32 f32", "attention bf16 bf16 bf16"/' %t.mlir | heddle-opt --heddle-select-composites | FileCheck %s --check-prefixes=BOTH,OTHER
// RUN: sed 's/attention_options = .[^]]*./attention_options = ["window"]/' %t.mlir | heddle-opt --heddle-select-composites | FileCheck %s --check-prefix=FEW
// RUN: heddle-opt %s --heddle-assign-target=target=cuda:sm_80 --heddle-select-composites | FileCheck %s --check-prefix=GPU
// RUN: heddle-opt %s --heddle-verify-lowered

// CPU-DAG: #[[LENGTHS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0)>
// CPU-DAG: #[[SINK:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 * 2 + d2)>

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
// GPU-NOT: kernel.attention
// GPU: kernel.attention %arg0, %arg1, %arg2 {accumulator = f32, {{.*}}score_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, {{.*}}value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, {{.*}} : tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16> -> tensor<2x4xbf16>
// GPU-NOT: kernel.attention
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

// An option that the target's kernel lacks: the operations.
// CPU-LABEL: func.func @options
// CPU: %[[R:.*]], %[[L:.*]] = kernel.attention %arg0, %arg1, %arg1 mask %arg2 lengths %arg3 sink %arg4 {causal, extents = array<i64: 4, 3, 2, 5, 7, 4, 4>
// CPU-SAME: indexing_maps = [{{#map[0-9]*, #map[0-9]*, #map[0-9]*, #map[0-9]*}}, #[[LENGTHS]], #[[SINK]], {{#map[0-9]*}}]
// CPU-SAME: window = 3 : i64, zero_nan_rows} {{.*}} lengths tensor<4xi32> sink tensor<6xf32> -> tensor<4x3x2x5x4xf32>, tensor<4x3x2x5xf32>
// CPU-DAG: tensor.collapse_shape %[[R]] {{.*}} into tensor<4x6x5x4xf32>
// CPU-DAG: tensor.collapse_shape %[[L]] {{.*}} into tensor<4x6x5xf32>
// FEW-LABEL: func.func @options
// FEW-NOT: kernel.attention
// FEW: return %arg0, %arg5
func.func @options(%q: tensor<4x6x5x4xf32>, %k: tensor<4x3x7x4xf32>, %m: tensor<5x7xi1>, %n: tensor<4xi32>, %s: tensor<6xf32>, %l: tensor<4x6x5xf32>) -> (tensor<4x6x5x4xf32>, tensor<4x6x5xf32>) {
  %0:2 = kernel.composite "heddle.attention"(%q, %k, %k, %m, %n, %s) {causal = true, window = 3, zero_nan_rows = true, optional = ["mask", "lengths", "sink"]} : (tensor<4x6x5x4xf32>, tensor<4x3x7x4xf32>, tensor<4x3x7x4xf32>, tensor<5x7xi1>, tensor<4xi32>, tensor<6xf32>) -> (tensor<4x6x5x4xf32>, tensor<4x6x5xf32>) {
    kernel.yield %q, %l : tensor<4x6x5x4xf32>, tensor<4x6x5xf32>
  }
  return %0#0, %0#1 : tensor<4x6x5x4xf32>, tensor<4x6x5xf32>
}

// FEW-LABEL: func.func @window
// FEW: kernel.attention {{.*}}window = 3 : i64
func.func @window(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %k) {window = 3} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    kernel.yield %q : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// Computed in f32: the kernel, after conversions.
// CPU-LABEL: func.func @wider
// CPU: kernel.attention {{.*}}accumulator = f32{{.*}} -> tensor<2x4xbf16>
func.func @wider(%q: tensor<2x4xbf16>, %k: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %k) {accumulator = f32} : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16> {
    kernel.yield %q : tensor<2x4xbf16>
  }
  return %0 : tensor<2x4xbf16>
}

// An option that nobody knows could mean anything: the operations.
// BOTH-LABEL: func.func @unknown
// BOTH-NEXT: return %arg0
func.func @unknown(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %k) {softcap = 30.0 : f32} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x4xf32> {
    kernel.yield %q : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// How far batch and queries run, by the sizes of a call; heads are split behind the batch.
// CPU-LABEL: func.func @sized
// CPU-DAG: %[[B:.*]] = kernel.size <b>(%arg3)
// CPU-DAG: %[[M:.*]] = kernel.size <2 * m>(%arg4)
// CPU: kernel.attention %arg0, %arg1, %arg2 limits(%[[B]], %[[M]]) {extents = array<i64: 2, 3, 2, 6, 7, 4, 4>{{.*}}limited = array<i64: 0, 3>
func.func @sized(%q: tensor<2x6x6x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>, %s0: tensor<i32> {heddle.extent = "b"}, %s1: tensor<i32> {heddle.extent = "m"}) -> tensor<2x6x6x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {} {heddle.sizes = #size.extents<b, 6, 2 * m, 4>} : (tensor<2x6x6x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x6x6x4xf32> {
    kernel.yield %q : tensor<2x6x6x4xf32>
  }
  return %0 : tensor<2x6x6x4xf32>
}

// Heads that were split have no limit: it would be one of query's heads.
// CPU-LABEL: func.func @sized_heads
// CPU: kernel.attention %arg0, %arg1, %arg2 {extents = array<i64: 2, 3, 2, 6, 7, 4, 4>
func.func @sized_heads(%q: tensor<2x6x6x4xf32>, %k: tensor<2x3x7x4xf32>, %v: tensor<2x3x7x4xf32>, %s0: tensor<i32> {heddle.extent = "h"}) -> tensor<2x6x6x4xf32> {
  %0 = kernel.composite "heddle.attention"(%q, %k, %v) {} {heddle.sizes = #size.extents<2, h, 6, 4>} : (tensor<2x6x6x4xf32>, tensor<2x3x7x4xf32>, tensor<2x3x7x4xf32>) -> tensor<2x6x6x4xf32> {
    kernel.yield %q : tensor<2x6x6x4xf32>
  }
  return %0 : tensor<2x6x6x4xf32>
}
