// RUN: heddle-opt --heddle-recognize-composites --symbol-dce %s | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x5xf32>
func.func @softmax(%x: tensor<2x5xf32>) -> tensor<2x5xf32> {
  // CHECK-NEXT: %[[R:.*]] = stablehlo.composite "heddle.softmax" %[[X]] {composite_attributes = {axis = 1 : i64}, decomposition = @heddle.softmax_0}
  // CHECK-NEXT: return %[[R]]
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %low = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.maximum %low, %0 : tensor<2xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x5xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<2x5xf32>
  %5 = stablehlo.exponential %4 : tensor<2x5xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x5xf32>, tensor<f32>) -> tensor<2xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xf32>) -> tensor<2x5xf32>
  %8 = stablehlo.divide %5, %7 : tensor<2x5xf32>
  return %8 : tensor<2x5xf32>
}

// The sum is repeated along the wrong dimension: no softmax.
// CHECK-LABEL: func.func @square_but_no_softmax
func.func @square_but_no_softmax(%x: tensor<5x5xf32>) -> tensor<5x5xf32> {
  // CHECK-NOT: composite
  // CHECK: stablehlo.divide
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [1] : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<5xf32>) -> tensor<5x5xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<5x5xf32>
  %5 = stablehlo.exponential %4 : tensor<5x5xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<5x5xf32>, tensor<f32>) -> tensor<5xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<5xf32>) -> tensor<5x5xf32>
  %8 = stablehlo.divide %5, %7 : tensor<5x5xf32>
  return %8 : tensor<5x5xf32>
}

// CHECK-LABEL: func.func @layer_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xf32>, %[[S:[^:]*]]: tensor<4xf32>, %[[B:[^:]*]]: tensor<4xf32>
func.func @layer_norm(%x: tensor<2x4xf32>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: stablehlo.composite "heddle.layer_norm" %[[X]], %[[S]], %[[B]] {composite_attributes = {axis = 1 : i64, epsilon = 9.99999974E-6 : f32}
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<4.0> : tensor<2x1xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<2x1xf32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
  %2 = stablehlo.divide %1, %n : tensor<2x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<2x4xf32>
  %5 = stablehlo.multiply %4, %4 : tensor<2x4xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %7 = stablehlo.reshape %6 : (tensor<2xf32>) -> tensor<2x1xf32>
  %8 = stablehlo.divide %7, %n : tensor<2x1xf32>
  %9 = stablehlo.add %8, %eps : tensor<2x1xf32>
  %10 = stablehlo.rsqrt %9 : tensor<2x1xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %12 = stablehlo.multiply %4, %11 : tensor<2x4xf32>
  %13 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %14 = stablehlo.multiply %12, %13 : tensor<2x4xf32>
  %15 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %16 = stablehlo.add %14, %15 : tensor<2x4xf32>
  return %16 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @rms_norm
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xf32>, %[[S:[^:]*]]: tensor<4xf32>
func.func @rms_norm(%x: tensor<2x4xf32>, %s: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK: stablehlo.composite "heddle.rms_norm" %[[X]], %[[S]]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<2.5e-1> : tensor<2x1xf32>
  %two = stablehlo.constant dense<2.0> : tensor<2x4xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<2x1xf32>
  %one = stablehlo.constant dense<1.0> : tensor<2x1xf32>
  %5 = stablehlo.power %x, %two : tensor<2x4xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x4xf32>, tensor<f32>) -> tensor<2xf32>
  %7 = stablehlo.reshape %6 : (tensor<2xf32>) -> tensor<2x1xf32>
  %8 = stablehlo.multiply %7, %n : tensor<2x1xf32>
  %9 = stablehlo.add %8, %eps : tensor<2x1xf32>
  %10 = stablehlo.sqrt %9 : tensor<2x1xf32>
  %11 = stablehlo.divide %one, %10 : tensor<2x1xf32>
  %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x4xf32>
  %13 = stablehlo.multiply %x, %12 : tensor<2x4xf32>
  %14 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>
  %15 = stablehlo.multiply %13, %14 : tensor<2x4xf32>
  return %15 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @activations
// CHECK-SAME: %[[X:[^:]*]]: tensor<8xf32>
func.func @activations(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  // CHECK-DAG: stablehlo.composite "heddle.silu" %[[X]] {decomposition = @heddle.silu_0}
  // CHECK-DAG: stablehlo.composite "heddle.gelu" %[[X]] {composite_attributes = {approximate = "tanh"}
  %0 = stablehlo.logistic %x : tensor<8xf32>
  %1 = stablehlo.multiply %0, %x : tensor<8xf32>
  %half = stablehlo.constant dense<0.5> : tensor<8xf32>
  %one = stablehlo.constant dense<1.0> : tensor<8xf32>
  %c = stablehlo.constant dense<0.044715> : tensor<8xf32>
  %r = stablehlo.constant dense<0.797884583> : tensor<8xf32>
  %2 = stablehlo.multiply %x, %x : tensor<8xf32>
  %3 = stablehlo.multiply %2, %x : tensor<8xf32>
  %4 = stablehlo.multiply %c, %3 : tensor<8xf32>
  %5 = stablehlo.add %x, %4 : tensor<8xf32>
  %6 = stablehlo.multiply %r, %5 : tensor<8xf32>
  %7 = stablehlo.tanh %6 : tensor<8xf32>
  %8 = stablehlo.add %7, %one : tensor<8xf32>
  %9 = stablehlo.multiply %half, %8 : tensor<8xf32>
  %10 = stablehlo.multiply %x, %9 : tensor<8xf32>
  return %1, %10 : tensor<8xf32>, tensor<8xf32>
}

// The scale of 1/2 at the scores, a mask, keys stored transposed.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x3x5x4xf32>, %[[K:[^:]*]]: tensor<2x3x4x7xf32>, %[[V:[^:]*]]: tensor<2x3x7x6xf32>, %[[M:[^:]*]]: tensor<2x3x5x7xf32>
func.func @attention(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x4x7xf32>, %v: tensor<2x3x7x6xf32>, %m: tensor<2x3x5x7xf32>) -> tensor<2x3x5x6xf32> {
  // CHECK-NOT: heddle.softmax
  // CHECK: %[[KT:.*]] = stablehlo.transpose %[[K]], dims = [0, 1, 3, 2]
  // CHECK-NEXT: %[[R:.*]] = stablehlo.composite "heddle.attention" %[[Q]], %[[KT]], %[[V]], %[[M]] {composite_attributes = {causal = false, scale = 5.000000e-01 : f32}
  // CHECK-NEXT: return %[[R]]
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<2x3x5x7xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x4xf32>, tensor<2x3x4x7xf32>) -> tensor<2x3x5x7xf32>
  %scaled = stablehlo.divide %s, %two : tensor<2x3x5x7xf32>
  %x = stablehlo.add %scaled, %m : tensor<2x3x5x7xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [3] : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %3 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x7xf32>
  %4 = stablehlo.subtract %x, %3 : tensor<2x3x5x7xf32>
  %5 = stablehlo.exponential %4 : tensor<2x3x5x7xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [3] : (tensor<2x3x5x7xf32>, tensor<f32>) -> tensor<2x3x5xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x3x5xf32>) -> tensor<2x3x5x7xf32>
  %8 = stablehlo.divide %5, %7 : tensor<2x3x5x7xf32>
  %9 = stablehlo.dot_general %8, %v, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2] : (tensor<2x3x5x7xf32>, tensor<2x3x7x6xf32>) -> tensor<2x3x5x6xf32>
  return %9 : tensor<2x3x5x6xf32>
}

// Narrow operands with scores and weights of f32: each product keeps its types and its precision. The scale of the
// query was rounded to bf16, and stays there.
// CHECK-LABEL: func.func @mixed_attention
func.func @mixed_attention(%q: tensor<3x5x4xbf16>, %k: tensor<3x7x4xbf16>, %v: tensor<3x7x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK: %[[Q:.*]] = stablehlo.multiply %arg0
  // CHECK: stablehlo.composite "heddle.attention" %[[Q]], %arg1, %arg2 {{.*}}decomposition = @[[MIXED:[^}]*]]}
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<3x5x4xbf16>
  %scaled = stablehlo.multiply %q, %half : tensor<3x5x4xbf16>
  %s = stablehlo.dot_general %scaled, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2], precision = [HIGHEST, HIGHEST] : (tensor<3x5x4xbf16>, tensor<3x7x4xbf16>) -> tensor<3x5x7xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x7xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x7xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x7xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [HIGH, DEFAULT] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// A guarded softmax: rows without scores weigh zero. The first has the guard of
// another tensor.
// CHECK-LABEL: func.func @guarded_attention
func.func @guarded_attention(%q: tensor<3x5x4xf32>, %k: tensor<3x4x7xf32>, %v: tensor<3x7x6xf32>, %m: tensor<3x5x7xf32>) -> (tensor<3x5x6xf32>, tensor<3x5x6xf32>) {
  // CHECK: stablehlo.composite "heddle.softmax"
  // CHECK: stablehlo.dot_general
  // CHECK: %[[R:.*]] = stablehlo.composite "heddle.attention" {{.*}}composite_attributes = {causal = false, scale = 1.000000e+00 : f32, zero_nan_rows = true}
  // CHECK-NEXT: return %{{.*}}, %[[R]]
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %zeros = stablehlo.constant dense<0.0> : tensor<3x5x7xf32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x4xf32>, tensor<3x4x7xf32>) -> tensor<3x5x7xf32>
  %x = stablehlo.add %s, %m : tensor<3x5x7xf32>
  %0 = stablehlo.reduce(%x init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<3x5x7xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x7xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x7xf32>
  %otherNan = stablehlo.compare NE, %m, %m : (tensor<3x5x7xf32>, tensor<3x5x7xf32>) -> tensor<3x5x7xi1>
  %other = stablehlo.select %otherNan, %zeros, %p : tensor<3x5x7xi1>, tensor<3x5x7xf32>
  %unguarded = stablehlo.dot_general %other, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  %t = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x4xf32>, tensor<3x4x7xf32>) -> tensor<3x5x7xf32>
  %6 = stablehlo.reduce(%t init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %8 = stablehlo.subtract %t, %7 : tensor<3x5x7xf32>
  %9 = stablehlo.exponential %8 : tensor<3x5x7xf32>
  %10 = stablehlo.reduce(%9 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x7xf32>, tensor<f32>) -> tensor<3x5xf32>
  %11 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x7xf32>
  %w = stablehlo.divide %9, %11 : tensor<3x5x7xf32>
  %nan = stablehlo.compare NE, %w, %w : (tensor<3x5x7xf32>, tensor<3x5x7xf32>) -> tensor<3x5x7xi1>
  %guarded = stablehlo.select %nan, %zeros, %w : tensor<3x5x7xi1>, tensor<3x5x7xf32>
  %r = stablehlo.dot_general %guarded, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
  return %unguarded, %r : tensor<3x5x6xf32>, tensor<3x5x6xf32>
}

// Both spellings; the third turns the wrong way.
// CHECK-LABEL: func.func @rope
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x8xf32>, %[[C:[^:]*]]: tensor<2x3x8xf32>, %[[S:[^:]*]]: tensor<2x3x8xf32>, %[[HC:[^:]*]]: tensor<2x3x4xf32>, %[[HS:[^:]*]]: tensor<2x3x4xf32>
func.func @rope(%x: tensor<2x3x8xf32>, %c: tensor<2x3x8xf32>, %s: tensor<2x3x8xf32>, %hc: tensor<2x3x4xf32>, %hs: tensor<2x3x4xf32>) -> (tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>) {
  // CHECK: stablehlo.composite "heddle.rope" %[[X]], %[[C]], %[[S]] {decomposition = @heddle.rope_1}
  // CHECK: stablehlo.composite "heddle.rope" %[[X]], %[[HC]], %[[HS]] {decomposition = @heddle.rope_0}
  // CHECK-NOT: composite
  // CHECK: return
  %a = stablehlo.slice %x [0:2, 0:3, 0:4] : (tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
  %b = stablehlo.slice %x [0:2, 0:3, 4:8] : (tensor<2x3x8xf32>) -> tensor<2x3x4xf32>
  %0 = stablehlo.negate %b : tensor<2x3x4xf32>
  %1 = stablehlo.concatenate %0, %a, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %2 = stablehlo.multiply %x, %c : tensor<2x3x8xf32>
  %3 = stablehlo.multiply %1, %s : tensor<2x3x8xf32>
  %4 = stablehlo.add %2, %3 : tensor<2x3x8xf32>
  %5 = stablehlo.multiply %a, %hc : tensor<2x3x4xf32>
  %6 = stablehlo.multiply %b, %hs : tensor<2x3x4xf32>
  %7 = stablehlo.subtract %5, %6 : tensor<2x3x4xf32>
  %8 = stablehlo.multiply %b, %hc : tensor<2x3x4xf32>
  %9 = stablehlo.multiply %a, %hs : tensor<2x3x4xf32>
  %10 = stablehlo.add %8, %9 : tensor<2x3x4xf32>
  %11 = stablehlo.concatenate %7, %10, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %12 = stablehlo.negate %a : tensor<2x3x4xf32>
  %13 = stablehlo.concatenate %12, %b, dim = 2 : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x8xf32>
  %14 = stablehlo.multiply %13, %s : tensor<2x3x8xf32>
  %15 = stablehlo.add %2, %14 : tensor<2x3x8xf32>
  return %4, %11, %15 : tensor<2x3x8xf32>, tensor<2x3x8xf32>, tensor<2x3x8xf32>
}

// CHECK: func.func private @[[MIXED]](%{{.*}}: tensor<3x5x4xbf16>, %{{.*}}: tensor<3x7x4xbf16>, %{{.*}}: tensor<3x7x6xf32>)
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGHEST, HIGHEST] : (tensor<3x5x4xbf16>, tensor<3x7x4xbf16>) -> tensor<3x5x7xf32>
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGH, DEFAULT] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
