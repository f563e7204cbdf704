// Where kernels run over the true extents of each operation, types keep them, and nothing is masked.

// RUN: heddle-opt %s --split-input-file --heddle-bound-dimensions | FileCheck %s

// A norm of rows, then a product: the sum over a sized dimension needs no zeros.
// CHECK-LABEL: @rows(
// CHECK-SAME: tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.reduce{{.*}} -> tensor<8x16xf32, #size.extents<batch, 16>>
// CHECK: stablehlo.dot_general{{.*}} -> tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>
module attributes {heddle.symbols = [{name = "batch", minimum = 1, maximum = 8}, {name = "sequence", minimum = 0, maximum = 512}]} {
  func.func @rows(%x: tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>, %w: tensor<16x4xf32>)
      -> (tensor<8x16xf32, #size.extents<batch, 16>>, tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>, tensor<f32>) -> tensor<8x16xf32, #size.extents<batch, 16>>
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [2] x [0]
        : (tensor<8x512x16xf32, #size.extents<batch, sequence, 16>>, tensor<16x4xf32>) -> tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>
    return %0, %1 : tensor<8x16xf32, #size.extents<batch, 16>>, tensor<8x512x4xf32, #size.extents<batch, sequence, 4>>
  }
}

// -----

// Positions are held within the rows that there are.
// CHECK-LABEL: @gather(
// CHECK-SAME: %[[X:[a-z0-9]*]]: {{.*}}, %[[AT:[a-z0-9]*]]: tensor<5xi64>, %[[N:[a-z0-9]*]]: tensor<i32>
// CHECK: %[[LAST:.*]] = stablehlo.add
// CHECK: %[[LIMIT:.*]] = stablehlo.broadcast_in_dim %[[LAST]]{{.*}} -> tensor<5xi64>
// CHECK: %[[HELD:.*]] = stablehlo.minimum %[[AT]], %[[LIMIT]]
// CHECK: "stablehlo.gather"(%[[X]], %[[HELD]])
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @gather(%x: tensor<9x4xf32, #size.extents<n, 4>>, %at: tensor<5xi64>) -> tensor<5x4xf32> {
    %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 4>}>
        : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<5xi64>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
}

// -----

// Parts are copied to where the one before truly ends.
// CHECK-LABEL: @append(
// CHECK-NOT: stablehlo.dynamic_update_slice
// CHECK: stablehlo.concatenate {{.*}} -> tensor<2x10x4xf32, #size.extents<2, n + 1, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 9}]} {
  func.func @append(%x: tensor<2x9x4xf32, #size.extents<2, n, 4>>, %y: tensor<2x1x4xf32>) -> tensor<2x10x4xf32, #size.extents<2, n + 1, 4>> {
    %0 = stablehlo.concatenate %x, %y, dim = 1 : (tensor<2x9x4xf32, #size.extents<2, n, 4>>, tensor<2x1x4xf32>) -> tensor<2x10x4xf32, #size.extents<2, n + 1, 4>>
    return %0 : tensor<2x10x4xf32, #size.extents<2, n + 1, 4>>
  }
}

// -----

// What is written into a tensor of a known size is as much as there truly is.
// CHECK-LABEL: @update(
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dynamic_update_slice %{{.*}} : (tensor<12x4xf32>, tensor<9x4xf32, #size.extents<n, 4>>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 9}]} {
  func.func @update(%x: tensor<12x4xf32>, %y: tensor<9x4xf32, #size.extents<n, 4>>, %i: tensor<i32>) -> tensor<12x4xf32> {
    %0 = stablehlo.dynamic_update_slice %x, %y, %i, %i : (tensor<12x4xf32>, tensor<9x4xf32, #size.extents<n, 4>>, tensor<i32>, tensor<i32>) -> tensor<12x4xf32>
    return %0 : tensor<12x4xf32>
  }
}

// -----

// A slice that starts where a size says has no kernel over true extents: all of the program is computed over the bound.
// CHECK-LABEL: @start(
// CHECK-SAME: %{{[a-z0-9]*}}: tensor<9x4xf32> {heddle.shape = #size.extents<n, 4>}
// CHECK-NOT: #size.extents<{{.*}}>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @start(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<1x4xf32> {
    %0 = stablehlo.slice %x [8:9, 0:4] {size.start_indices = #size.extents<n - 1, 0>, size.limit_indices = #size.extents<n, 4>}
        : (tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<1x4xf32>
    return %0 : tensor<1x4xf32>
  }
}
