// RUN: heddle-opt --heddle-recognize-attention --symbol-dce %s | FileCheck %s

// The scale of 1/2 at the scores, a mask, keys stored transposed.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x3x5x4xf32>, %[[K:[^:]*]]: tensor<2x3x4x7xf32>, %[[V:[^:]*]]: tensor<2x3x7x6xf32>, %[[M:[^:]*]]: tensor<2x3x5x7xf32>
func.func @attention(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x4x7xf32>, %v: tensor<2x3x7x6xf32>, %m: tensor<2x3x5x7xf32>) -> tensor<2x3x5x6xf32> {
  // CHECK: %[[KT:.*]] = stablehlo.transpose %[[K]], dims = [0, 1, 3, 2]
  // CHECK-NEXT: %[[R:.*]] = stablehlo.composite "heddle.attention" %[[Q]], %[[KT]], %[[V]], %[[M]] {composite_attributes = {causal = false, optional = ["mask"], scale = 5.000000e-01 : f32}
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
  // CHECK: stablehlo.dot_general
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

// The sums of the softmax are repeated along the wrong dimension: no attention.
// CHECK-LABEL: func.func @no_softmax
func.func @no_softmax(%q: tensor<3x5x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK-NOT: composite
  // CHECK: stablehlo.divide
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<3x5x5xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x5xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x5xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x5xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// A sum that starts from 1, so that all weights together may be less than 1, is that of no softmax.
// CHECK-LABEL: func.func @weight_of_nothing
func.func @weight_of_nothing(%q: tensor<3x5x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK-NOT: composite
  // CHECK: stablehlo.divide
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<1.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<3x5x5xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x5xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x5xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x5xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// Nor is a maximum that is at least 0 the one of the row.
// CHECK-LABEL: func.func @clipped_maximum
func.func @clipped_maximum(%q: tensor<3x5x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK-NOT: composite
  // CHECK: stablehlo.divide
  %lowest = stablehlo.constant dense<0.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<3x5x5xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x5xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x5xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x5xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// Scores of a format without an infinity have no value for a key that does not count.
// CHECK-LABEL: func.func @no_infinity
func.func @no_infinity(%q: tensor<3x5x4xf8E4M3FN>, %k: tensor<3x5x4xf8E4M3FN>, %v: tensor<3x5x6xf8E4M3FN>) -> tensor<3x5x6xf8E4M3FN> {
  // CHECK-NOT: composite
  // CHECK: stablehlo.divide
  %lowest = stablehlo.constant dense<-448.0> : tensor<f8E4M3FN>
  %zero = stablehlo.constant dense<0.0> : tensor<f8E4M3FN>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf8E4M3FN>, tensor<3x5x4xf8E4M3FN>) -> tensor<3x5x5xf8E4M3FN>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3x5xf8E4M3FN>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf8E4M3FN>) -> tensor<3x5x5xf8E4M3FN>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x5xf8E4M3FN>
  %3 = stablehlo.exponential %2 : tensor<3x5x5xf8E4M3FN>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<3x5xf8E4M3FN>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf8E4M3FN>) -> tensor<3x5x5xf8E4M3FN>
  %p = stablehlo.divide %3, %5 : tensor<3x5x5xf8E4M3FN>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf8E4M3FN>, tensor<3x5x6xf8E4M3FN>) -> tensor<3x5x6xf8E4M3FN>
  return %9 : tensor<3x5x6xf8E4M3FN>
}

// A maximum may start from the lowest finite number.
// CHECK-LABEL: func.func @finite_lowest
func.func @finite_lowest(%q: tensor<3x5x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK: stablehlo.composite "heddle.attention" %arg0, %arg1, %arg2
  %lowest = stablehlo.constant dense<-3.40282347E+38> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<3x5x5xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %2 = stablehlo.subtract %s, %1 : tensor<3x5x5xf32>
  %3 = stablehlo.exponential %2 : tensor<3x5x5xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %p = stablehlo.divide %3, %5 : tensor<3x5x5xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// What JAX writes around the maximum of a row changes nothing.
// CHECK-LABEL: func.func @bounded_maximum
func.func @bounded_maximum(%q: tensor<3x5x4xf32>, %k: tensor<3x5x4xf32>, %v: tensor<3x5x6xf32>) -> tensor<3x5x6xf32> {
  // CHECK: %[[R:.*]] = stablehlo.composite "heddle.attention" %arg0, %arg1, %arg2
  // CHECK-NEXT: return %[[R]]
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x4xf32>, tensor<3x5x4xf32>) -> tensor<3x5x5xf32>
  %0 = stablehlo.reduce(%s init: %lowest) applies stablehlo.maximum across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %low = stablehlo.broadcast_in_dim %lowest, dims = [] : (tensor<f32>) -> tensor<3x5xf32>
  %1 = stablehlo.maximum %low, %0 : tensor<3x5xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x1xf32>
  %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1, 2] : (tensor<3x5x1xf32>) -> tensor<3x5x5xf32>
  %4 = stablehlo.subtract %s, %3 : tensor<3x5x5xf32>
  %5 = stablehlo.exponential %4 : tensor<3x5x5xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<3x5x5xf32>, tensor<f32>) -> tensor<3x5xf32>
  %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<3x5xf32>) -> tensor<3x5x5xf32>
  %p = stablehlo.divide %5, %7 : tensor<3x5x5xf32>
  %9 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<3x5x5xf32>, tensor<3x5x6xf32>) -> tensor<3x5x6xf32>
  return %9 : tensor<3x5x6xf32>
}

// CHECK: func.func private @[[MIXED]](%{{.*}}: tensor<3x5x4xbf16>, %{{.*}}: tensor<3x7x4xbf16>, %{{.*}}: tensor<3x7x6xf32>)
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGHEST, HIGHEST] : (tensor<3x5x4xbf16>, tensor<3x7x4xbf16>) -> tensor<3x5x7xf32>
// CHECK: stablehlo.dot_general {{.*}}precision = [HIGH, DEFAULT] : (tensor<3x5x7xf32>, tensor<3x7x6xf32>) -> tensor<3x5x6xf32>
