// RUN: heddle-opt %s --heddle-lower-graph --split-input-file | FileCheck %s

// CHECK-DAG: #[[ID:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[SCALAR:.*]] = affine_map<(d0, d1) -> ()>
// CHECK-LABEL: func @elementwise
func.func @elementwise(%x: tensor<2x3xi32>, %low: tensor<i32>) -> tensor<2x3xi32> {
  %high = stablehlo.constant dense<7> : tensor<i32>
  // A scalar operand is read with an empty map.
  // CHECK: linalg.generic {indexing_maps = [#[[SCALAR]], #[[ID]], #[[SCALAR]], #[[ID]]]
  // CHECK: arith.maxsi
  // CHECK: arith.minsi
  %0 = stablehlo.clamp %low, %x, %high : (tensor<i32>, tensor<2x3xi32>, tensor<i32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

// -----

// Division of integers never traps.
// CHECK-LABEL: func @divide
func.func @divide(%x: tensor<3xi32>, %y: tensor<3xi32>) -> tensor<3xi32> {
  // CHECK: %[[D:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : i32
  // CHECK: arith.divsi %{{.*}}, %[[D]]
  %0 = stablehlo.divide %x, %y : tensor<3xi32>
  return %0 : tensor<3xi32>
}

// -----

// Signs are in the ops from here on.
// CHECK-LABEL: func @unsigned
// CHECK-SAME: tensor<3xi8>
func.func @unsigned(%x: tensor<3xui8>) -> tensor<3xf32> {
  // CHECK: arith.uitofp %{{.*}} : i8 to f32
  %0 = stablehlo.convert %x : (tensor<3xui8>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// Views fold into who reads through them; a leading part of a dimension is read from the flat tensor.
// CHECK-DAG: #[[FLAT:.*]] = affine_map<(d0, d1) -> (d0 * 8 + d1)>
// CHECK-DAG: #[[REVERSED:.*]] = affine_map<(d0, d1) -> (d0, -d1 + 4)>
// CHECK-LABEL: func @views
func.func @views(%x: tensor<4x8xf32>, %y: tensor<4x5xf32>) -> tensor<4x5xf32> {
  // CHECK: %[[F:.*]] = tensor.collapse_shape %{{.*}} {{\[\[}}0, 1]] : tensor<4x8xf32> into tensor<32xf32>
  // CHECK: linalg.generic {indexing_maps = [#[[FLAT]], #[[REVERSED]]
  // CHECK-SAME: ins(%[[F]], %{{.*}} : tensor<32xf32>, tensor<4x5xf32>)
  // CHECK-NOT: linalg.generic
  %0 = stablehlo.slice %x [0:4, 0:5] : (tensor<4x8xf32>) -> tensor<4x5xf32>
  %1 = stablehlo.reverse %y, dims = [1] : tensor<4x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}

// -----

// CHECK-LABEL: func @first_elements
func.func @first_elements(%x: tensor<8xf32>) -> tensor<5xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: tensor.extract %{{.*}}[%[[I]]] : tensor<8xf32>
  %0 = stablehlo.slice %x [0:5] : (tensor<8xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

// CHECK-DAG: #[[LHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d1)>
// CHECK-DAG: #[[RHS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
// CHECK-DAG: #[[OUT:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
// CHECK-LABEL: func @dot_general
func.func @dot_general(%x: tensor<2x5x3xf32>, %y: tensor<2x5x4xf32>) -> tensor<2x3x4xf32> {
  // CHECK: kernel.contract %{{.*}}, %[[Y:.*]] {extents = array<i64: 2, 3, 4, 5>, indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [1] x [1] : (tensor<2x5x3xf32>, tensor<2x5x4xf32>) -> tensor<2x3x4xf32>
  %t = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<2x5x4xf32>) -> tensor<2x4x5xf32>
  // The transpose of the right-hand side is in the map.
  // CHECK: kernel.contract %{{.*}}, %[[Y]] {extents = array<i64: 2, 3, 4, 5>, indexing_maps = [#[[LHS]], #[[RHS]], #[[OUT]]]
  %1 = stablehlo.dot_general %x, %t, batching_dims = [0] x [0], contracting_dims = [1] x [2] : (tensor<2x5x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x4xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func @narrow_result
func.func @narrow_result(%x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) -> tensor<2x4xbf16> {
  // CHECK-NEXT: kernel.contract {{.*}}accumulator = f32{{.*}} -> tensor<2x4xbf16>
  // CHECK-NEXT: return
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}

// -----

// CHECK-LABEL: func @argmax
func.func @argmax(%x: tensor<4x9xf32>, %i: tensor<4x9xi32>) -> tensor<4xi32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[I:.*]]: i32, %[[AX:.*]]: f32, %[[AI:.*]]: i32):
  // CHECK: %[[C:.*]] = arith.cmpf oge, %[[AX]], %[[X]]
  // CHECK: arith.select %[[C]], %[[AX]], %[[X]]
  // CHECK: arith.select %[[C]], %[[AI]], %[[I]]
  %0:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<4x9xf32>, tensor<4x9xi32>, tensor<f32>, tensor<i32>) -> (tensor<4xf32>, tensor<4xi32>)
    reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %p, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %p, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %0#1 : tensor<4xi32>
}

// -----

// CHECK-LABEL: func @embedding
func.func @embedding(%table: tensor<10x4xf32>, %ids: tensor<3xi64>) -> tensor<3x4xf32> {
  // CHECK: linalg.generic
  // CHECK: %[[LOW:.*]] = arith.maxsi
  // CHECK: %[[IN:.*]] = arith.minui %[[LOW]]
  // CHECK: %[[ROW:.*]] = arith.index_cast %[[IN]] : i64 to index
  // CHECK: %[[COLUMN:.*]] = linalg.index 1
  // CHECK: tensor.extract %{{.*}}[%[[ROW]], %[[COLUMN]]]
  %0 = "stablehlo.gather"(%table, %ids) {
    dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 4>} : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// -----

// A branch that nothing reads is gone, and what was in it is not looked at.
// CHECK-LABEL: func.func @unread_branch
// CHECK-NEXT: return
func.func @unread_branch(%condition: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%condition) ({
    %1 = stablehlo.add %x, %x : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }, {
    stablehlo.return %x : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %x : tensor<4xf32>
}
