// Where kernels run over the true extents of each operation, types keep them, and nothing is masked.

// RUN: heddle-opt %s --split-input-file --heddle-bound-dimensions 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t.remarks

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

// What has no kernel over true extents is computed over the bound, between a spread operand and a packed result; what stands around it is not.
// CHECK-LABEL: @border(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<9x4xf32, #size.extents<n, 4>> {heddle.shape = #size.extents<n, 4>}
// CHECK: %[[T:.*]] = stablehlo.tanh %[[X]] : tensor<9x4xf32, #size.extents<n, 4>>
// CHECK: %[[SPREAD:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %[[T]], %{{.*}} : (tensor<9x4xf32>, tensor<9x4xf32, #size.extents<n, 4>>, {{.*}}) -> tensor<9x4xf32>
// CHECK: %[[MAPPED:.*]] = "stablehlo.map"(%[[SPREAD]])
// CHECK: %[[PACKED:.*]] = stablehlo.slice %[[MAPPED]] [0:9, 0:4] {size.limit_indices = #size.extents<n, 4>} : (tensor<9x4xf32>) -> tensor<9x4xf32, #size.extents<n, 4>>
// CHECK: stablehlo.exponential %[[PACKED]] : tensor<9x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @border(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    %0 = stablehlo.tanh %x : tensor<9x4xf32, #size.extents<n, 4>>
    // REMARK: [[#@LINE+1]]:10: remark: 'stablehlo.map' takes the time of the largest sizes at each call: it has no kernel over true extents here{{$}}
    %1 = "stablehlo.map"(%0) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %c = stablehlo.negate %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>>
    %2 = stablehlo.exponential %1 : tensor<9x4xf32, #size.extents<n, 4>>
    return %2 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// From one such operation to the next there is no border, nor around what is cheap between both; a constant is made again.
// CHECK-LABEL: @between(
// CHECK: stablehlo.dynamic_update_slice
// CHECK-NOT: stablehlo.dynamic_update_slice
// CHECK: "stablehlo.map"
// CHECK-NOT: #size.extents<n, 4>>
// CHECK: stablehlo.add %{{.*}} : tensor<9x4xf32>{{$}}
// CHECK: "stablehlo.map"
// CHECK: stablehlo.slice
// CHECK-NEXT: return
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @between(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    // REMARK: [[#@LINE+1]]:10: remark: 'stablehlo.map' takes the time of the largest sizes at each call: it has no kernel over true extents here (and 1 more)
    %0 = "stablehlo.map"(%x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %c = stablehlo.negate %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>>
    %one = stablehlo.constant dense<1.0> : tensor<9x4xf32, #size.extents<n, 4>>
    %1 = stablehlo.add %0, %one : tensor<9x4xf32, #size.extents<n, 4>>
    %2 = "stablehlo.map"(%1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>):
      %c = stablehlo.negate %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>>
    return %2 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// An order needs no flag, an update no mask.
// CHECK-LABEL: @order(
// CHECK-NOT: stablehlo.select
// CHECK: "stablehlo.sort"(%{{[a-z0-9]*}}) {{.*}}
// CHECK: "stablehlo.scatter"
// CHECK: chlo.top_k{{.*}} : tensor<9x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @order(%x: tensor<9x4xf32, #size.extents<n, 4>>, %at: tensor<9x1xi32, #size.extents<n, 1>>)
      -> (tensor<9x4xf32, #size.extents<n, 4>>, tensor<9x2xf32, #size.extents<n, 2>>) {
    %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64, is_stable = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>>
    %1 = "stablehlo.scatter"(%0, %at, %x) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = false, unique_indices = false}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      stablehlo.return %b : tensor<f32>
    }) : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<9x1xi32, #size.extents<n, 1>>, tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>>
    %values, %indices = chlo.top_k(%1, k = 2) : tensor<9x4xf32, #size.extents<n, 4>> -> (tensor<9x2xf32, #size.extents<n, 2>>, tensor<9x2xi32, #size.extents<n, 2>>)
    return %1, %values : tensor<9x4xf32, #size.extents<n, 4>>, tensor<9x2xf32, #size.extents<n, 2>>
  }
}

// -----

// A slice that starts where a size says is read from a place that is computed, and held within what there is.
// CHECK-LABEL: @start(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<9x6xf32, #size.extents<n, 6>>
// CHECK: %[[HELD:.*]] = stablehlo.minimum
// CHECK: stablehlo.dynamic_slice %[[X]], %[[HELD]], %{{.*}}, sizes = [1, 6] : (tensor<9x6xf32, #size.extents<n, 6>>, tensor<i32>, tensor<i32>) -> tensor<1x6xf32>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @start(%x: tensor<9x6xf32, #size.extents<n, 6>>) -> tensor<1x6xf32> {
    %0 = stablehlo.slice %x [8:9, 0:6] {size.start_indices = #size.extents<n - 1, 0>, size.limit_indices = #size.extents<n, 6>}
        : (tensor<9x6xf32, #size.extents<n, 6>>) -> tensor<1x6xf32>
    return %0 : tensor<1x6xf32>
  }
}

// -----

// What is read from the end is gathered; of nothing, nothing is taken. A dimension that is known is turned as it is.
// CHECK-LABEL: @reverse(
// CHECK: %[[TURNED:.*]] = "stablehlo.gather"{{.*}}size.slice_sizes = #size.extents<min({{.*}}>{{.*}} -> tensor<9x4xf32, #size.extents<n, 4>>
// CHECK: stablehlo.reverse %[[TURNED]], dims = [1]
module attributes {heddle.symbols = [{name = "n", minimum = 0, maximum = 9}]} {
  func.func @reverse(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    %0 = stablehlo.reverse %x, dims = [0, 1] : tensor<9x4xf32, #size.extents<n, 4>>
    return %0 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// A loop carries what truly is, and changes rows of it in place.
// CHECK-LABEL: @loop(
// CHECK-NOT: stablehlo.select
// CHECK: stablehlo.while{{.*}} tensor<9x4xf32, #size.extents<n, 4>>
// CHECK: stablehlo.dynamic_update_slice {{.*}} : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32, #size.extents<n, 4>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @loop(%x: tensor<9x4xf32, #size.extents<n, 4>>, %row: tensor<1x4xf32>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %n = size.tensor <n> : tensor<i32>
    %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<9x4xf32, #size.extents<n, 4>>
     cond {
      %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %1 : tensor<i1>
    } do {
      %1 = stablehlo.add %i, %one : tensor<i32>
      %2 = stablehlo.dynamic_update_slice %y, %row, %i, %zero : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<1x4xf32>, tensor<i32>, tensor<i32>) -> tensor<9x4xf32, #size.extents<n, 4>>
      stablehlo.return %1, %2 : tensor<i32>, tensor<9x4xf32, #size.extents<n, 4>>
    }
    return %0#1 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// A window over everything up to its point is one walk, as long as the dimension truly is.
// CHECK-LABEL: @walk(
// CHECK-NOT: stablehlo.select
// CHECK: "stablehlo.reduce_window"{{.*}}
// CHECK: size.window_dimensions = #size.extents<n, 1>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @walk(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {size.window_dimensions = #size.extents<n, 1>, size.padding = #size.extents<n - 1, 0, 0, 0>} : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<f32>) -> tensor<9x4xf32, #size.extents<n, 4>>
    return %0 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// One that begins with a number which counts reads its padding: it has no such kernel.
// CHECK-LABEL: @padded_walk(
// CHECK: stablehlo.dynamic_update_slice
// CHECK: "stablehlo.reduce_window"
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 9}]} {
  func.func @padded_walk(%x: tensor<9x4xf32, #size.extents<n, 4>>) -> tensor<9x4xf32, #size.extents<n, 4>> {
    %z = stablehlo.constant dense<1.0> : tensor<f32>
    // REMARK: [[#@LINE+1]]:10: remark: 'stablehlo.reduce_window' takes the time of the largest sizes
    %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 9, 1>, padding = dense<[[8, 0], [0, 0]]> : tensor<2x2xi64>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) {size.window_dimensions = #size.extents<n, 1>, size.padding = #size.extents<n - 1, 0, 0, 0>} : (tensor<9x4xf32, #size.extents<n, 4>>, tensor<f32>) -> tensor<9x4xf32, #size.extents<n, 4>>
    return %0 : tensor<9x4xf32, #size.extents<n, 4>>
  }
}

// -----

// What is padded is written into a tensor of what it is padded with, at the place where it begins.
// CHECK-LABEL: @pad(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x9x9xf32, #size.extents<2, h, w>> {{.*}}, %[[FILL:[a-z0-9]*]]: tensor<f32>
// CHECK-NOT: stablehlo.pad
// CHECK: %[[AROUND:.*]] = stablehlo.broadcast_in_dim %[[FILL]], dims = []{{.*}} -> tensor<2x12x18xf32, #size.extents<2, h + 3, 2 * w>>
// CHECK-NEXT: %[[NONE:.*]] = stablehlo.constant dense<0>
// CHECK-NEXT: %[[ONE:.*]] = stablehlo.constant dense<1>
// CHECK-NEXT: stablehlo.dynamic_update_slice %[[AROUND]], %[[X]], %[[NONE]], %[[ONE]], %[[NONE]] : {{.*}} -> tensor<2x12x18xf32, #size.extents<2, h + 3, 2 * w>>
module attributes {heddle.symbols = [{name = "h", minimum = 1, maximum = 9}, {name = "w", minimum = 0, maximum = 9}]} {
  func.func @pad(%x: tensor<2x9x9xf32, #size.extents<2, h, w>>, %fill: tensor<f32>) -> tensor<2x12x18xf32, #size.extents<2, h + 3, 2 * w>> {
    %0 = stablehlo.pad %x, %fill, low = [0, 1, 0], high = [0, 2, 9], interior = [0, 0, 0]
        {size.edge_padding_low = #size.extents<0, 1, 0>, size.edge_padding_high = #size.extents<0, 2, w>}
        : (tensor<2x9x9xf32, #size.extents<2, h, w>>, tensor<f32>) -> tensor<2x12x18xf32, #size.extents<2, h + 3, 2 * w>>
    return %0 : tensor<2x12x18xf32, #size.extents<2, h + 3, 2 * w>>
  }
}

// -----

// A gap lies behind each element, but for the last; what is cut off is not read. Of nothing there would be no gap to take away.
// CHECK-LABEL: @pad_with_gaps(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<9xf32, #size.extents<n>> {{.*}}, %[[Y:[a-z0-9]*]]: tensor<9xf32, #size.extents<m>> {{.*}}, %[[FILL:[a-z0-9]*]]: tensor<f32>
// CHECK: %[[EACH:.*]] = stablehlo.reshape %[[X]] : {{.*}} -> tensor<9x1xf32, #size.extents<n, 1>>
// CHECK: %[[ROOM:.*]] = stablehlo.broadcast_in_dim %[[FILL]], dims = []{{.*}} -> tensor<9x3xf32, #size.extents<n, 3>>
// CHECK: %[[SPREAD:.*]] = stablehlo.dynamic_update_slice %[[ROOM]], %[[EACH]]
// CHECK: %[[ROW:.*]] = stablehlo.reshape %[[SPREAD]] : {{.*}} -> tensor<27xf32, #size.extents<3 * n>>
// CHECK: %[[CUT:.*]] = stablehlo.dynamic_slice %[[ROW]], {{.*}} -> tensor<25xf32, #size.extents<3 * n - 2>>
// CHECK: %[[AROUND:.*]] = stablehlo.broadcast_in_dim %[[FILL]], dims = []{{.*}} -> tensor<26xf32, #size.extents<3 * n - 1>>
// CHECK: %[[GAPS:.*]] = stablehlo.dynamic_update_slice %[[AROUND]], %[[CUT]]
// CHECK: %[[LEFT:.*]] = stablehlo.dynamic_slice %[[X]], {{.*}} -> tensor<8xf32, #size.extents<n - 1>>
// CHECK: %[[MOVED:.*]] = stablehlo.dynamic_update_slice %{{.*}}, %[[LEFT]]
// CHECK: stablehlo.pad{{.*}}interior = [1]
// CHECK: return %[[GAPS]], %[[MOVED]]
module attributes {heddle.symbols = [{name = "n", minimum = 2, maximum = 9}, {name = "m", minimum = 0, maximum = 9}]} {
  func.func @pad_with_gaps(%x: tensor<9xf32, #size.extents<n>>, %y: tensor<9xf32, #size.extents<m>>, %fill: tensor<f32>)
      -> (tensor<26xf32, #size.extents<3 * n - 1>>, tensor<9xf32, #size.extents<n>>, tensor<17xf32, #size.extents<max(2 * m - 1, 0)>>) {
    %0 = stablehlo.pad %x, %fill, low = [1], high = [0], interior = [2] : (tensor<9xf32, #size.extents<n>>, tensor<f32>) -> tensor<26xf32, #size.extents<3 * n - 1>>
    %1 = stablehlo.pad %x, %fill, low = [1], high = [-1], interior = [0] : (tensor<9xf32, #size.extents<n>>, tensor<f32>) -> tensor<9xf32, #size.extents<n>>
    // REMARK: [[#@LINE+1]]:10: remark: 'stablehlo.pad' takes the time of the largest sizes at each call: it has no kernel over true extents here
    %2 = stablehlo.pad %y, %fill, low = [0], high = [0], interior = [1] : (tensor<9xf32, #size.extents<m>>, tensor<f32>) -> tensor<17xf32, #size.extents<max(2 * m - 1, 0)>>
    return %0, %1, %2 : tensor<26xf32, #size.extents<3 * n - 1>>, tensor<9xf32, #size.extents<n>>, tensor<17xf32, #size.extents<max(2 * m - 1, 0)>>
  }
}

// -----

// What a convolution's padding cuts off an image is not read; with a point of a dilated one goes what lies between it and the next.
// CHECK-LABEL: @cut_image(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<2x4x9x9xf32, #size.extents<2, 4, h, w>>
// CHECK: %[[CUT:.*]] = stablehlo.dynamic_slice %[[X]], {{.*}} -> tensor<2x4x8x7xf32, #size.extents<2, 4, h - 1, w - 2>>
// CHECK: %[[IMAGE:.*]] = stablehlo.transpose %[[CUT]]
// CHECK: stablehlo.convolution(%[[IMAGE]], {{.*}}window = {pad = {{\[\[}}0, 1], [1, 0]], lhs_dilate = [1, 2]}
module attributes {heddle.symbols = [{name = "h", minimum = 1, maximum = 9}, {name = "w", minimum = 3, maximum = 9}]} {
  func.func @cut_image(%x: tensor<2x4x9x9xf32, #size.extents<2, 4, h, w>>, %k: tensor<8x4x1x2xf32>)
      -> tensor<2x8x9x13xf32, #size.extents<2, 8, h, 2 * w - 5>> {
    %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[-1, 1], [-1, -2]], lhs_dilate = [1, 2]}
        {feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<2x4x9x9xf32, #size.extents<2, 4, h, w>>, tensor<8x4x1x2xf32>) -> tensor<2x8x9x13xf32, #size.extents<2, 8, h, 2 * w - 5>>
    return %0 : tensor<2x8x9x13xf32, #size.extents<2, 8, h, 2 * w - 5>>
  }
}

// -----

// Places beyond 32 bits are numbers of 64.
// CHECK-LABEL: @long(
// CHECK: stablehlo.iota dim = 0 : tensor<2500000000xi64, #size.extents<m * n>>
// CHECK: "stablehlo.gather"{{.*}} : (tensor<2500000000xi8, #size.extents<m * n>>, tensor<2500000000xi64, #size.extents<m * n>>)
// CHECK: stablehlo.dynamic_slice {{.*}}, tensor<i64>) -> tensor<2499999999xi8, #size.extents<m * n - 1>>
// CHECK: stablehlo.dynamic_update_slice {{.*}}, tensor<i64>) -> tensor<2500000001xi8, #size.extents<m * n + 1>>
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 50000}, {name = "m", minimum = 1, maximum = 50000}]} {
  func.func @long(%x: tensor<50000x50000xi8, #size.extents<n, m>>)
      -> (tensor<2500000000xi8, #size.extents<n * m>>, tensor<2499999999xi8, #size.extents<n * m - 1>>, tensor<2500000001xi8, #size.extents<n * m + 1>>) {
    %zero = stablehlo.constant dense<0> : tensor<i8>
    %0 = stablehlo.reshape %x : (tensor<50000x50000xi8, #size.extents<n, m>>) -> tensor<2500000000xi8, #size.extents<n * m>>
    %1 = stablehlo.reverse %0, dims = [0] : tensor<2500000000xi8, #size.extents<n * m>>
    %2 = stablehlo.slice %0 [1:2500000000] {size.start_indices = #size.extents<1>, size.limit_indices = #size.extents<n * m>}
        : (tensor<2500000000xi8, #size.extents<n * m>>) -> tensor<2499999999xi8, #size.extents<n * m - 1>>
    %3 = stablehlo.pad %0, %zero, low = [1], high = [0], interior = [0]
        : (tensor<2500000000xi8, #size.extents<n * m>>, tensor<i8>) -> tensor<2500000001xi8, #size.extents<n * m + 1>>
    return %1, %2, %3 : tensor<2500000000xi8, #size.extents<n * m>>, tensor<2499999999xi8, #size.extents<n * m - 1>>, tensor<2500000001xi8, #size.extents<n * m + 1>>
  }
}

// -----

// A position of few bits is held by a wider number: the last place need not be one of its own.
// CHECK-LABEL: @short(
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<400xf32, #size.extents<n>>{{.*}}, %[[AT:[a-z0-9]*]]: tensor<3x1xi8>, %[[START:[a-z0-9]*]]: tensor<ui8>
// CHECK: %[[WIDE:.*]] = stablehlo.convert %[[AT]] : (tensor<3x1xi8>) -> tensor<3x1xi32>
// CHECK: %[[HELD:.*]] = stablehlo.minimum %[[WIDE]], %{{.*}} : tensor<3x1xi32>
// CHECK: "stablehlo.gather"(%[[X]], %[[HELD]])
// CHECK: %[[FROM:.*]] = stablehlo.convert %[[START]] : (tensor<ui8>) -> tensor<i32>
// CHECK: %[[AFTER:.*]] = stablehlo.minimum %[[FROM]], %{{.*}} : tensor<i32>
// CHECK: stablehlo.dynamic_slice %[[X]], %[[AFTER]], sizes = [1] : (tensor<400xf32, #size.extents<n>>, tensor<i32>)
module attributes {heddle.symbols = [{name = "n", minimum = 1, maximum = 400}]} {
  func.func @short(%x: tensor<400xf32, #size.extents<n>>, %at: tensor<3x1xi8>, %start: tensor<ui8>) -> (tensor<3xf32>, tensor<1xf32>) {
    %0 = "stablehlo.gather"(%x, %at) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0],
        start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1>}>
        : (tensor<400xf32, #size.extents<n>>, tensor<3x1xi8>) -> tensor<3xf32>
    %1 = stablehlo.dynamic_slice %x, %start, sizes = [1] : (tensor<400xf32, #size.extents<n>>, tensor<ui8>) -> tensor<1xf32>
    return %0, %1 : tensor<3xf32>, tensor<1xf32>
  }
}
