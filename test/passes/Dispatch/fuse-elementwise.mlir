// RUN: heddle-opt %s --heddle-lower-graph --heddle-assign-target=target=x86-64-v3 --heddle-fuse-elementwise --split-input-file | FileCheck %s

// CHECK-LABEL: func @chain
func.func @chain(%x: tensor<8x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  // One loop: exp, the broadcast, the addition, the splat.
  // CHECK: linalg.generic
  // CHECK: math.exp
  // CHECK-NEXT: arith.addf
  // CHECK-NEXT: arith.mulf
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %two = stablehlo.constant dense<2.0> : tensor<8x16xf32>
  %0 = stablehlo.exponential %x : tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.multiply %2, %two : tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}

// -----

// Costly arithmetic is not done again for every row, nor for every reader.
// CHECK-LABEL: func @costly
func.func @costly(%b: tensor<16xf32>, %x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) {
  // CHECK: linalg.generic
  // CHECK-NEXT: ^bb0
  // CHECK-NEXT: math.exp
  // CHECK-NEXT: linalg.yield
  %0 = stablehlo.exponential %b : tensor<16xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  // CHECK: linalg.generic
  // CHECK: arith.addf
  // CHECK-NEXT: linalg.yield
  %2 = stablehlo.add %x, %1 : tensor<8x16xf32>
  // CHECK: linalg.generic
  // CHECK: math.tanh
  // CHECK-NEXT: linalg.yield
  %3 = stablehlo.tanh %x : tensor<8x16xf32>
  // CHECK: linalg.generic
  // CHECK-NOT: math.tanh
  // CHECK: return
  %4 = stablehlo.negate %3 : tensor<8x16xf32>
  %5 = stablehlo.abs %3 : tensor<8x16xf32>
  return %2, %4, %5 : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>
}

// -----

// The bias stays with its product when its reader sums over it.
// CHECK-LABEL: func @keeps_epilogue
func.func @keeps_epilogue(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<8xf32> {
  // CHECK: kernel.contract
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  return %3 : tensor<8xf32>
}

// -----

// A transpose behind a product is how it writes.
// CHECK: #[[OUT:.*]] = affine_map<(d0, d1, d2) -> (d1, d0)>
// CHECK-LABEL: func @writes_transposed
func.func @writes_transposed(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>) -> tensor<16x8xf32> {
  // CHECK: %[[C:.*]] = kernel.contract {{.*}}indexing_maps = [#{{.*}}, #{{.*}}, #[[OUT]]]{{.*}} -> tensor<16x8xf32>
  // CHECK-NEXT: return %[[C]]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// Two query heads read each key head where it is.
// CHECK-DAG: #[[QUERY:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0 * 2 + d1, d2, d4)>
// CHECK-DAG: #[[KEY:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d4)>
// CHECK-LABEL: func @shared_heads
func.func @shared_heads(%q: tensor<8x5x16xf32>, %k: tensor<4x7x16xf32>) -> tensor<8x5x7xf32> {
  // CHECK-NOT: linalg.generic
  // CHECK: %[[C:.*]] = kernel.contract %{{.*}}, %{{.*}} {extents = array<i64: 4, 2, 5, 7, 16>, indexing_maps = [#[[QUERY]], #[[KEY]], #{{.*}}]{{.*}} : tensor<8x5x16xf32>, tensor<4x7x16xf32> -> tensor<4x2x5x7xf32>
  // CHECK-NEXT: tensor.collapse_shape %[[C]]
  %0 = stablehlo.broadcast_in_dim %k, dims = [0, 2, 3] : (tensor<4x7x16xf32>) -> tensor<4x2x7x16xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x2x7x16xf32>) -> tensor<8x7x16xf32>
  %2 = stablehlo.dot_general %q, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x5x16xf32>, tensor<8x7x16xf32>) -> tensor<8x5x7xf32>
  return %2 : tensor<8x5x7xf32>
}

// -----

// A sum of two contractions, each with arithmetic of its own: the earlier one keeps its, so that the later one's kernel is
// the same whatever the other summand is.
// CHECK-LABEL: func @two_roots
func.func @two_roots(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[FIRST:.*]] = kernel.contract %arg0
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: %[[KEPT:.*]] = linalg.generic {{.*}} ins(%[[FIRST]] : tensor<8x8xf32>)
  // CHECK: math.exp
  %1 = stablehlo.exponential %0 : tensor<8x8xf32>
  // CHECK: %[[SECOND:.*]] = kernel.contract %arg1
  %2 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: linalg.generic {{.*}} ins(%[[SECOND]], %[[KEPT]] : tensor<8x8xf32>, tensor<8x8xf32>)
  // CHECK: math.sqrt
  // CHECK: arith.addf
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %3 = stablehlo.sqrt %2 : tensor<8x8xf32>
  %4 = stablehlo.add %3, %1 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// Numbers that the earlier contraction gives as bytes are in memory as such: the later one's kernel makes floats of them, as it would of bytes that come
// from elsewhere.
// CHECK-LABEL: func.func @narrow_summand(
func.func @narrow_summand(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK: %[[EARLIER:.*]] = kernel.contract %arg0
  // CHECK: %[[BYTES:.*]] = linalg.generic {{.*}} ins(%[[EARLIER]] : tensor<8x8xf32>) outs(%{{.*}} : tensor<8x8xi8>)
  // CHECK: arith.fptosi
  // CHECK: %[[LATER:.*]] = kernel.contract %arg1
  // CHECK: linalg.generic {{.*}} ins(%[[LATER]], %[[BYTES]] : tensor<8x8xf32>, tensor<8x8xi8>)
  // CHECK: arith.sitofp %{{.*}} : i8 to f32
  // CHECK: return
  %0 = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.convert %0 : (tensor<8x8xf32>) -> tensor<8x8xi8>
  %2 = stablehlo.convert %1 : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %b, %w, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %4 = stablehlo.add %3, %2 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}

// -----

// An op whose loops are known without the result that nobody reads any more
// has no such result, and is fused on.
// CHECK-LABEL: func @dead_result
func.func @dead_result(%x: tensor<1x8xf32>) -> tensor<1x8xf32> {
  // CHECK: %[[R:.*]] = linalg.generic
  // CHECK: arith.negf
  // CHECK-NEXT: math.exp
  // CHECK-NEXT: math.absf
  // CHECK-NEXT: linalg.yield %{{.*}} : f32
  // CHECK-NOT: linalg.generic
  // CHECK: return %[[R]]
  %0 = stablehlo.reshape %x : (tensor<1x8xf32>) -> tensor<1x8x1x1xf32>
  %1 = stablehlo.negate %0 : tensor<1x8x1x1xf32>
  %2 = stablehlo.reshape %1 : (tensor<1x8x1x1xf32>) -> tensor<1x8xf32>
  %3 = stablehlo.exponential %2 : tensor<1x8xf32>
  %4 = stablehlo.abs %3 : tensor<1x8xf32>
  return %4 : tensor<1x8xf32>
}

// -----

// What gathers is no epilogue: a product's own stays with it.
// CHECK-LABEL: func @gathers
func.func @gathers(%t: tensor<4x16xf32>, %i: tensor<8x1xi32>, %x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>) -> tensor<8x16xf32> {
  // CHECK: %[[PRODUCT:.*]] = kernel.contract
  // CHECK: %[[BIASED:.*]] = linalg.generic {{.*}} ins(%[[PRODUCT]], %{{.*}} : tensor<8x16xf32>, tensor<16xf32>)
  // CHECK-NOT: tensor.extract
  // CHECK: linalg.yield
  // CHECK: linalg.generic {{.*}}%[[BIASED]]
  // CHECK: tensor.extract
  // CHECK: arith.addf
  // CHECK-NEXT: linalg.yield
  // CHECK-NOT: linalg.generic
  // CHECK: return
  %0 = "stablehlo.gather"(%t, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 16>} : (tensor<4x16xf32>, tensor<8x1xi32>) -> tensor<8x16xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %3 = stablehlo.add %1, %2 : tensor<8x16xf32>
  %4 = stablehlo.add %0, %3 : tensor<8x16xf32>
  return %4 : tensor<8x16xf32>
}
