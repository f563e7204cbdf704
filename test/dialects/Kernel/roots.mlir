// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func @contract_packed
func.func @contract_packed(%x: tensor<1x128x768xf32>, %w: tensor<96x768x32xf32>) -> tensor<1x128x3072xf32> {
  // CHECK: kernel.contract %{{.*}}, %{{.*}} {extents = array<i64: 1, 128, 3072, 768>, indexing_maps = [{{.*}}], iterator_types = [{{.*}}], rhs_packing = "* k n -> * n/32 k n%32"} : tensor<1x128x768xf32>, tensor<96x768x32xf32> -> tensor<1x128x3072xf32>
  %0 = kernel.contract %x, %w {
    extents = array<i64: 1, 128, 3072, 768>,
    indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>, affine_map<(b, m, n, k) -> (n, k)>, affine_map<(b, m, n, k) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<1x128x768xf32>, tensor<96x768x32xf32> -> tensor<1x128x3072xf32>
  return %0 : tensor<1x128x3072xf32>
}

// The output projection of attention, heads summed, with lhs still [b, m, h, d].
// CHECK-LABEL: func @contract_split
func.func @contract_split(%x: tensor<1x7x12x64xf32>, %w: tensor<24x768x32xf32>) -> tensor<1x7x768xf32> {
  // CHECK: kernel.contract
  %0 = kernel.contract %x, %w {
    extents = array<i64: 1, 7, 768, 12, 64>,
    indexing_maps = [affine_map<(b, m, n, h, d) -> (b, m, h, d)>, affine_map<(b, m, n, h, d) -> (n, h, d)>, affine_map<(b, m, n, h, d) -> (b, m, n)>],
    iterator_types = ["parallel", "parallel", "parallel", "reduction", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<1x7x12x64xf32>, tensor<24x768x32xf32> -> tensor<1x7x768xf32>
  return %0 : tensor<1x7x768xf32>
}

// lhs is a slice of a merged projection.
// CHECK-LABEL: func @contract_slice
func.func @contract_slice(%x: tensor<7x192xf32>, %y: tensor<9x64xf32>) -> tensor<7x9xf32> {
  // CHECK: kernel.contract
  %0 = kernel.contract %x, %y {
    extents = array<i64: 7, 9, 64>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k + 64)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<7x192xf32>, tensor<9x64xf32> -> tensor<7x9xf32>
  return %0 : tensor<7x9xf32>
}

// CHECK-LABEL: func @convolution
func.func @convolution(%x: tensor<1x224x224x3xf32>, %w: tensor<1x2x7x7x3x32xf32>) -> tensor<1x112x112x64xf32> {
  // CHECK: kernel.convolution %{{.*}}, %{{.*}} {groups = 1 : i64, {{.*}}weights_packing = "* i (g=1 o) -> g o/32 * i o%32"} : tensor<1x224x224x3xf32>, tensor<1x2x7x7x3x32xf32> -> tensor<1x112x112x64xf32>
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
    groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
  } : tensor<1x224x224x3xf32>, tensor<1x2x7x7x3x32xf32> -> tensor<1x112x112x64xf32>
  return %0 : tensor<1x112x112x64xf32>
}

// CHECK-LABEL: func @depthwise
func.func @depthwise(%x: tensor<1x14x14x96xf32>, %w: tensor<3x3x1x96xf32>) -> tensor<1x14x14x96xf32> {
  // CHECK: kernel.convolution
  %0 = kernel.convolution %x, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 1, 1, 1, 1>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, groups = 96 : i64
  } : tensor<1x14x14x96xf32>, tensor<3x3x1x96xf32> -> tensor<1x14x14x96xf32>
  return %0 : tensor<1x14x14x96xf32>
}

// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<1x128x12x64xf32>, %k: tensor<1x128x12x64xf32>, %v: tensor<1x128x12x64xf32>, %mask: tensor<1x1x1x128xf32>) -> tensor<1x128x12x64xf32> {
  // CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} mask %{{.*}} {{{.*}}} : tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x1x1x128xf32> -> tensor<1x128x12x64xf32>
  %0 = kernel.attention %q, %k, %v mask %mask {
    extents = array<i64: 1, 12, 128, 128, 64, 64>,
    indexing_maps = [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>, affine_map<(b, h, m, n, d, e) -> (b, n, h, d)>,
                     affine_map<(b, h, m, n, d, e) -> (b, n, h, e)>, affine_map<(b, h, m, n, d, e) -> (b, 0, 0, n)>,
                     affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>],
    scale = 1.250000e-01 : f32
  } : tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x1x1x128xf32> -> tensor<1x128x12x64xf32>
  return %0 : tensor<1x128x12x64xf32>
}

// 8 query heads share a key head; causal, no mask.
// CHECK-LABEL: func @grouped_attention
func.func @grouped_attention(%q: tensor<5x4x8x64xf32>, %k: tensor<4x9x64xf32>, %v: tensor<4x9x64xf32>) -> tensor<5x4x8x64xf32> {
  // CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, {{.*}}} : tensor<5x4x8x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32> -> tensor<5x4x8x64xf32>
  %0 = kernel.attention %q, %k, %v {
    extents = array<i64: 4, 8, 5, 9, 64, 64>, causal,
    indexing_maps = [affine_map<(h, g, m, n, d, e) -> (m, h, g, d)>, affine_map<(h, g, m, n, d, e) -> (h, n, d)>,
                     affine_map<(h, g, m, n, d, e) -> (h, n, e)>, affine_map<(h, g, m, n, d, e) -> (m, h, g, e)>],
    scale = 1.250000e-01 : f32
  } : tensor<5x4x8x64xf32>, tensor<4x9x64xf32>, tensor<4x9x64xf32> -> tensor<5x4x8x64xf32>
  return %0 : tensor<5x4x8x64xf32>
}

// A cache of which each row of the batch has filled a part, with sinks and the logarithms of sums.
// CHECK-LABEL: func @attention_options
func.func @attention_options(%q: tensor<4x2x1x64xbf16>, %k: tensor<4x2x512x64xbf16>, %n: tensor<4xi32>, %s: tensor<2xf32>) -> (tensor<4x2x1x64xbf16>, tensor<4x2x1xf32>) {
  // CHECK: kernel.attention %{{.*}}, %{{.*}}, %{{.*}} lengths %{{.*}} sink %{{.*}} {accumulator = f32, causal, {{.*}}, window = 100 : i64} : tensor<4x2x1x64xbf16>, tensor<4x2x512x64xbf16>, tensor<4x2x512x64xbf16> lengths tensor<4xi32> sink tensor<2xf32> -> tensor<4x2x1x64xbf16>, tensor<4x2x1xf32>
  %0, %1 = kernel.attention %q, %k, %k lengths %n sink %s {
    extents = array<i64: 4, 2, 1, 512, 64, 64>, causal, window = 100 : i64, accumulator = f32,
    indexing_maps = [affine_map<(b, h, m, n, d, e) -> (b, h, m, d)>, affine_map<(b, h, m, n, d, e) -> (b, h, n, d)>,
                     affine_map<(b, h, m, n, d, e) -> (b, h, n, e)>, affine_map<(b, h, m, n, d, e) -> (b)>,
                     affine_map<(b, h, m, n, d, e) -> (h)>, affine_map<(b, h, m, n, d, e) -> (b, h, m, e)>],
    scale = 1.250000e-01 : f32
  } : tensor<4x2x1x64xbf16>, tensor<4x2x512x64xbf16>, tensor<4x2x512x64xbf16> lengths tensor<4xi32> sink tensor<2xf32> -> tensor<4x2x1x64xbf16>, tensor<4x2x1xf32>
  return %0, %1 : tensor<4x2x1x64xbf16>, tensor<4x2x1xf32>
}

// Each product says by itself how exact it should be.
// CHECK-LABEL: func @attention_exactness
func.func @attention_exactness(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // CHECK: kernel.attention %arg0, %arg1, %arg1 {{{.*}}, score_precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGH>], value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, {{.*}} : tensor<2x4xf32>
  %0 = kernel.attention %q, %k, %k {
    extents = array<i64: 2, 3, 4, 4>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, score_precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision HIGH>],
    value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
  } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func @reduce_window
func.func @reduce_window(%x: tensor<1x112x112x64xf32>) -> tensor<1x56x56x64xf32> {
  %zero = arith.constant 0.0 : f32
  // CHECK: kernel.reduce_window inputs(%{{.*}}) inits(%{{.*}}) {{{.*}}} : (tensor<1x112x112x64xf32>, f32) -> tensor<1x56x56x64xf32>
  %0 = kernel.reduce_window inputs(%x) inits(%zero) {
    window = array<i64: 1, 3, 3, 1>, strides = array<i64: 1, 2, 2, 1>, padding = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>,
    base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>
  } : (tensor<1x112x112x64xf32>, f32) -> tensor<1x56x56x64xf32> {
  ^bb0(%acc: f32, %in: f32):
    %m = arith.maximumf %acc, %in : f32
    kernel.yield %m : f32
  }
  return %0 : tensor<1x56x56x64xf32>
}

// What the model asks of products.
// CHECK-LABEL: func @contract_asked
func.func @contract_asked(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>, %i: tensor<1x4x4x3xf32>, %w: tensor<2x2x3x8xf32>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<1x3x3x8xf32>) {
  // CHECK: kernel.contract %{{.*}}, %{{.*}} {accumulator = f32, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, {{.*}}num_primitive_operations = 3, {{.*}}: tensor<2x3xbf16>, tensor<3x4xbf16> -> tensor<2x4xbf16>
  %0 = kernel.contract %x, %y {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"],
    accumulator = f32, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
  } : tensor<2x3xbf16>, tensor<3x4xbf16> -> tensor<2x4xbf16>
  // CHECK: kernel.contract %{{.*}}, %{{.*}} {accumulator = f64, {{.*}}, precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]}
  %1 = kernel.contract %x, %y {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"],
    accumulator = f64, precision = [#stablehlo<precision HIGHEST>, #stablehlo<precision DEFAULT>]
  } : tensor<2x3xbf16>, tensor<3x4xbf16> -> tensor<2x4xbf16>
  // CHECK: kernel.convolution {{.*}}accumulator = f64, {{.*}}precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
  %2 = kernel.convolution %i, %w {
    strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
    groups = 1 : i64, accumulator = f64, precision = [#stablehlo<precision HIGH>, #stablehlo<precision HIGH>]
  } : tensor<1x4x4x3xf32>, tensor<2x2x3x8xf32> -> tensor<1x3x3x8xf32>
  return %0, %1, %2 : tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<1x3x3x8xf32>
}

// How far dimensions run is a launch's to say.
// CHECK-LABEL: func @contract_limits
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3xf32>, %[[Y:[^:]*]]: tensor<3x4xf32>, %[[N:[^:]*]]: tensor<i32>
func.func @contract_limits(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>, %n: tensor<i32>) -> tensor<2x4xf32> {
  // CHECK: %[[ROWS:.*]] = kernel.size <a>(%[[N]]) : tensor<i32>
  // CHECK: %[[TERMS:.*]] = kernel.size <a + b>(%[[N]], %[[N]]) : tensor<i32>, tensor<i32>
  // CHECK: kernel.size <2>(){{$}}
  %rows = kernel.size <a>(%n) : tensor<i32>
  %terms = kernel.size <a + b>(%n, %n) : tensor<i32>, tensor<i32>
  %two = kernel.size <2>()
  // CHECK: kernel.contract %[[X]], %[[Y]] limits(%[[ROWS]], %[[TERMS]]) {extents = {{.*}}limited = array<i64: 0, 2>} : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  %0 = kernel.contract %x, %y limits(%rows, %terms) {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"],
    limited = array<i64: 0, 2>
  } : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
