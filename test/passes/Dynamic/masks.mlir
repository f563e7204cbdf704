// What would see padding is kept from it; what would not is left alone.

// RUN: heddle-opt %s --split-input-file --heddle-bound-dimensions=masks-all | FileCheck %s

// A contraction over the size: zeros on both sides. One beside it: nothing.
// CHECK-LABEL: heddle.symbols
// CHECK: @main(%[[X:.*]]: tensor<5x4xf32> {heddle.shape = #size.extents<n, 4>}, %[[SIZE:.*]]: tensor<i32> {heddle.extent = "n"}) -> (tensor<4x4xf32>, tensor<5x4xf32> {heddle.shape = #size.extents<n, 4>})
// CHECK: %[[ZEROED:.*]] = stablehlo.select %{{.*}}, %[[X]], %{{.*}}
// CHECK: stablehlo.dot_general %[[ZEROED]], %[[ZEROED]], contracting_dims = [0] x [0] {heddle.sizes = #size.extents<4, 4, n>}
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.dot_general %[[X]], %{{.*}}, contracting_dims = [1] x [0] {heddle.sizes = #size.extents<n, 4, 4>}
module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 5 : i64}]} {
  func.func @main(%x: tensor<5x4xf32, #size.extents<n, 4>>) -> (tensor<4x4xf32>, tensor<5x4xf32, #size.extents<n, 4>>) {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (tensor<5x4xf32, #size.extents<n, 4>>, tensor<5x4xf32, #size.extents<n, 4>>) -> tensor<4x4xf32>
    %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<5x4xf32, #size.extents<n, 4>>, tensor<4x4xf32>) -> tensor<5x4xf32, #size.extents<n, 4>>
    return %0, %1 : tensor<4x4xf32>, tensor<5x4xf32, #size.extents<n, 4>>
  }
}

// -----

// The second piece goes where the first one ends.
// CHECK-LABEL: heddle.symbols
// CHECK: @main(%[[X:.*]]: tensor<5x4xf32> {{.*}}, %[[SIZE:.*]]: tensor<i32> {heddle.extent = "n"})
// CHECK: %[[LONG:.*]] = stablehlo.pad %[[X]], %{{.*}}, low = [0, 0], high = [5, 0], interior = [0, 0]
// CHECK: stablehlo.dynamic_update_slice %[[LONG]], %[[X]], %[[SIZE]], %
module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 5 : i64}]} {
  func.func @main(%x: tensor<5x4xf32, #size.extents<n, 4>>) -> tensor<10x4xf32, #size.extents<2 * n, 4>> {
    %0 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<5x4xf32, #size.extents<n, 4>>, tensor<5x4xf32, #size.extents<n, 4>>) -> tensor<10x4xf32, #size.extents<2 * n, 4>>
    return %0 : tensor<10x4xf32, #size.extents<2 * n, 4>>
  }
}

// -----

// A size inside: rows of elements outside, spread and packed by a gather.
// CHECK-LABEL: heddle.symbols
// CHECK: @main(%[[X:.*]]: tensor<20xf32> {heddle.shape = #size.extents<4, n>}
// CHECK-SAME: -> (tensor<20xf32> {heddle.shape = #size.extents<4, n>})
// CHECK: "stablehlo.gather"
// CHECK: stablehlo.negate
// CHECK: "stablehlo.gather"
module attributes {heddle.symbols = [{name = "n", minimum = 0 : i64, maximum = 5 : i64}]} {
  func.func @main(%x: tensor<4x5xf32, #size.extents<4, n>>) -> tensor<4x5xf32, #size.extents<4, n>> {
    %0 = stablehlo.negate %x : tensor<4x5xf32, #size.extents<4, n>>
    return %0 : tensor<4x5xf32, #size.extents<4, n>>
  }
}

// -----

// A flag is the first key of an order.
// CHECK-LABEL: heddle.symbols
// CHECK: %[[FLAG:.*]] = stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<5x4xi1>, tensor<5x4xi32>
// CHECK: "stablehlo.sort"(%{{.*}}, %[[FLAG]])
// CHECK: stablehlo.or
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 5 : i64}]} {
  func.func @main(%x: tensor<5x4xf32, #size.extents<n, 4>>) -> tensor<5x4xf32, #size.extents<n, 4>> {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    }) : (tensor<5x4xf32, #size.extents<n, 4>>) -> tensor<5x4xf32, #size.extents<n, 4>>
    return %0 : tensor<5x4xf32, #size.extents<n, 4>>
  }
}

// -----

// Windows that are not there reach in from nowhere: -1 would be one too near.
// CHECK-LABEL: heddle.symbols
// CHECK: @main(%[[X:[a-z0-9]+]]: tensor<6xi32>, %[[AT:[a-z0-9]+]]: tensor<8x1xi32> {{.*}}, %[[ROWS:[a-z0-9]+]]: tensor<8x2xi32>
// CHECK: %[[FILL:.*]] = stablehlo.constant dense<-2147483648> : tensor<8x1xi32>
// CHECK: %[[PLACES:.*]] = stablehlo.select %{{.*}}, %[[AT]], %[[FILL]]
// CHECK: "stablehlo.scatter"(%[[X]], %[[PLACES]], %[[ROWS]])
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 8 : i64}]} {
  func.func @main(%x: tensor<6xi32>, %places: tensor<8x1xi32, #size.extents<n, 1>>, %rows: tensor<8x2xi32, #size.extents<n, 2>>) -> tensor<6xi32> {
    %0 = "stablehlo.scatter"(%x, %places, %rows) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) : (tensor<6xi32>, tensor<8x1xi32, #size.extents<n, 1>>, tensor<8x2xi32, #size.extents<n, 2>>) -> tensor<6xi32>
    return %0 : tensor<6xi32>
  }
}

// -----

// Positions of few bits are widened before they are held: 299 is no such number.
// CHECK-LABEL: heddle.symbols
// CHECK: @main(%{{.*}}: tensor<400xf32> {{.*}}, %[[AT:.*]]: tensor<3x1xi8>, %[[START:.*]]: tensor<ui8>,
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[AT]] : (tensor<3x1xi8>) -> tensor<3x1xi32>
// CHECK: %[[HELD:.*]] = stablehlo.minimum %[[WIDE]], %{{.*}} : tensor<3x1xi32>
// CHECK: "stablehlo.gather"(%{{.*}}, %[[HELD]])
// CHECK: %[[FROM:.*]] = stablehlo.convert %[[START]] : (tensor<ui8>) -> tensor<i32>
// CHECK: %[[AFTER:.*]] = stablehlo.minimum %[[FROM]], %{{.*}} : tensor<i32>
// CHECK: stablehlo.dynamic_slice %{{.*}}, %[[AFTER]], sizes = [1]
// CHECK: stablehlo.dynamic_update_slice %{{.*}}, %[[AFTER]] : (tensor<400xf32>, tensor<1xf32>, tensor<i32>)
module attributes {heddle.symbols = [{name = "n", minimum = 1 : i64, maximum = 400 : i64}]} {
  func.func @main(%x: tensor<400xf32, #size.extents<n>>, %at: tensor<3x1xi8>, %start: tensor<ui8>) -> (tensor<3xf32>, tensor<400xf32, #size.extents<n>>) {
    %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}>
        : (tensor<400xf32, #size.extents<n>>, tensor<3x1xi8>) -> tensor<3xf32>
    %1 = stablehlo.dynamic_slice %x, %start, sizes = [1] : (tensor<400xf32, #size.extents<n>>, tensor<ui8>) -> tensor<1xf32>
    %2 = stablehlo.dynamic_update_slice %x, %1, %start : (tensor<400xf32, #size.extents<n>>, tensor<1xf32>, tensor<ui8>) -> tensor<400xf32, #size.extents<n>>
    return %0, %2 : tensor<3xf32>, tensor<400xf32, #size.extents<n>>
  }
}
