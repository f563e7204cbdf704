// RUN: heddle-opt %s --heddle-sharding-partition --cse --split-input-file | FileCheck %s

// The second product sums over what is cut: devices along "model" have terms, which are joined.
// CHECK: module attributes {heddle.mesh = {{.*}}, mhlo.num_partitions = 4 : i32}
// CHECK-LABEL: func @layers
// CHECK-SAME: %arg0: tensor<8x32xf32> {heddle.whole = tensor<16x32xf32>, sdy.sharding = #sdy.sharding<@grid, [{"data"}, {}]>}
// CHECK-SAME: %arg1: tensor<32x32xf32> {heddle.whole = tensor<32x64xf32>
// CHECK-SAME: %arg2: tensor<32x8xf32>
// CHECK-SAME: -> (tensor<8x8xf32> {heddle.whole = tensor<16x8xf32>
sdy.mesh @grid = <["data"=2, "model"=2]>
func.func @layers(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data"}, {}]>},
                  %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"model"}]>},
                  %v: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"model"}, {}]>})
    -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data"}, {}]>}) {
  // CHECK-NEXT: %[[A:.*]] = stablehlo.dot_general %arg0, %arg1, {{.*}} -> tensor<8x32xf32>
  // CHECK-NEXT: %[[B:.*]] = stablehlo.tanh %[[A]] : tensor<8x32xf32>
  // CHECK-NEXT: %[[C:.*]] = stablehlo.dot_general %[[B]], %arg2, {{.*}} -> tensor<8x8xf32>
  // CHECK-NEXT: %[[D:.*]] = "stablehlo.all_reduce"(%[[C]])
  // CHECK-SAME: axes = [#stablehlo.axis_ref<name = "model">]
  // CHECK: stablehlo.add
  // CHECK: return %[[D]]
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  %1 = stablehlo.tanh %0 : tensor<16x64xf32>
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// A sum that is to be cut along its devices is scattered to them.
// CHECK-LABEL: func @scattered
// CHECK: stablehlo.dot_general {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: "stablehlo.reduce_scatter"
// CHECK-SAME: scatter_dimension = 0
// CHECK-NOT: stablehlo.dynamic_slice
// CHECK: return
func.func @scattered(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"model"}]>},
                     %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"model"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"model"}, {}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"model"}, {}]>]>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// A sum over two axes that is to be cut along one of them is scattered along that, and what is left is joined along the other.
// CHECK-LABEL: func @two_axes
// CHECK: stablehlo.dot_general {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: "stablehlo.reduce_scatter"
// CHECK-SAME: axes = [#stablehlo.axis_ref<name = "data">]
// CHECK: -> tensor<8x4xf32>
// CHECK-NEXT: "stablehlo.all_reduce"
// CHECK-SAME: axes = [#stablehlo.axis_ref<name = "model">]
// CHECK: return {{.*}} : tensor<8x4xf32>
func.func @two_axes(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"model", "data"}]>},
                    %b: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"model", "data"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"data"}]>}) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0]
    {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{}, {"data"}]>]>} : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// -----

sdy.mesh @grid = <["x"=2, "y"=2]>

// CHECK-LABEL: func @moves
func.func @moves(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"x"}]>},
        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"y"}, {}]>},
        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}, {"y"}]>},
        tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}]>}) {
  // Axes that go from dimension to dimension.
  // CHECK-NEXT: "stablehlo.all_to_all"(%arg0) {{.*}}concat_dimension = 0{{.*}}split_dimension = 1
  // Another axis of as many parts: whole parts go to other devices.
  // CHECK-NEXT: "stablehlo.collective_permute"(%arg0)
  // CHECK-SAME{LITERAL}: dense<[[0, 0], [2, 1], [1, 2], [3, 3]]>
  // What every device has is cut without any exchange.
  // CHECK: stablehlo.partition_id
  // CHECK-NOT: "stablehlo.all_
  // CHECK: stablehlo.dynamic_slice %arg0, {{.*}} sizes = [4, 4]
  // CHECK-NEXT: "stablehlo.all_gather"(%arg0) {{.*}}all_gather_dim = 0
  // CHECK-NEXT: return
  return %x, %x, %x, %x : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// -----

sdy.mesh @line = <["x"=4]>

// Parts of unequal size are filled up; what a sum would see of that is made zero, and what it begins with counts once.
// CHECK-LABEL: func @uneven
// CHECK-SAME: %arg0: tensor<2x5xf32>
func.func @uneven(%x: tensor<7x5xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) -> tensor<5xf32> {
  // CHECK: %[[ONE:.*]] = stablehlo.constant dense<1.0
  // CHECK: %[[MASK:.*]] = stablehlo.broadcast_in_dim {{.*}} -> tensor<2x5xi1>
  // CHECK: %[[ZERO:.*]] = stablehlo.constant dense<-0.0{{.*}} : tensor<2x5xf32>
  // CHECK: %[[X:.*]] = stablehlo.select %[[MASK]], %arg0, %[[ZERO]]
  // CHECK: %[[SUM:.*]] = stablehlo.reduce(%[[X]] init: %{{.*}}) applies stablehlo.add
  // CHECK: %[[ALL:.*]] = "stablehlo.all_reduce"(%[[SUM]])
  // CHECK: %[[BEGIN:.*]] = stablehlo.broadcast_in_dim %[[ONE]]
  // CHECK: stablehlo.add %[[BEGIN]], %[[ALL]]
  %c = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %c) applies stablehlo.add across dimensions = [0] : (tensor<7x5xf32>, tensor<f32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// A sort needs all of its dimension: that is gathered, the other is not.
// CHECK-LABEL: func @sorted
// CHECK: "stablehlo.all_gather"
// CHECK: "stablehlo.sort"{{.*}}
// CHECK: : (tensor<8x8xf32>) -> tensor<8x8xf32>
// CHECK: stablehlo.dynamic_slice
func.func @sorted(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {"x"}]>})
    -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@line, [{}, {"x"}]>}) {
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) {dimension = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@line, [{}, {}]>]>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}

// The state of a loop lies as its result is said to, the condition is whole.
// CHECK-LABEL: func @loop
// CHECK: stablehlo.while({{.*}}) : tensor<i32>, tensor<2x4xf32>
// CHECK: stablehlo.add {{.*}} : tensor<2x4xf32>
func.func @loop(%x: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<8x4xf32>
    cond {
      %n = stablehlo.constant dense<3> : tensor<i32>
      %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %w = stablehlo.add %v, %v : tensor<8x4xf32>
      stablehlo.return %j, %w : tensor<i32>, tensor<8x4xf32>
    }
  return %0#1 : tensor<8x4xf32>
}

// Each device looks up the rows that it has; what it finds for others is left out of the sum.
// CHECK-LABEL: func @rows
// CHECK: %[[IN:.*]] = stablehlo.clamp
// CHECK: %[[OWN:.*]] = stablehlo.subtract %[[IN]]
// CHECK: %[[ROWS:.*]] = "stablehlo.gather"(%arg0, %[[OWN]]){{.*}} : (tensor<3x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
// CHECK: %[[TERM:.*]] = stablehlo.select %{{.*}}, %[[ROWS]]
// CHECK: "stablehlo.all_reduce"(%[[TERM]])
func.func @rows(%table: tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}, %ids: tensor<5x1xi32>) -> tensor<5x4xf32> {
  %0 = "stablehlo.gather"(%table, %ids) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0],
    start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>} : (tensor<10x4xf32>, tensor<5x1xi32>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Updates for a batch that is cut are terms, and what they are added to counts once; rows that are cut take those that are theirs.
// CHECK-LABEL: func @updates
// CHECK: %[[FIRST:.*]] = stablehlo.compare EQ
// CHECK: %[[BEGIN:.*]] = stablehlo.select %[[FIRST]], %arg0
// CHECK: %[[TERM:.*]] = "stablehlo.scatter"(%[[BEGIN]], %arg1, %arg2)
// CHECK: "stablehlo.all_reduce"(%[[TERM]])
// CHECK: %[[OWN:.*]] = stablehlo.subtract
// CHECK: "stablehlo.scatter"(%{{.*}}, %[[OWN]], %{{.*}}){{.*}}
// CHECK: : (tensor<3x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<3x4xf32>
func.func @updates(%a: tensor<10x4xf32>, %ids: tensor<8x1xi32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>},
                   %b: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}, %c: tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>})
    -> (tensor<10x4xf32>, tensor<10x4xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}, {}]>}) {
  %0 = "stablehlo.scatter"(%a, %ids, %b) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>, sdy.sharding = #sdy.sharding_per_value<[<@line, [{}, {}]>]>}
    : (tensor<10x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<10x4xf32>
  %1 = "stablehlo.scatter"(%c, %ids, %b) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = stablehlo.add %l, %r : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
    index_vector_dim = 1>, sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x"}, {}]>]>}
    : (tensor<10x4xf32>, tensor<8x1xi32>, tensor<8x4xf32>) -> tensor<10x4xf32>
  return %0, %1 : tensor<10x4xf32>, tensor<10x4xf32>
}

// A computation by hand is its body.
// CHECK-LABEL: func @manual
// CHECK-SAME: %arg0: tensor<2xf32>
// CHECK-NEXT: %[[T:.*]] = stablehlo.tanh %arg0 : tensor<2xf32>
// CHECK-NEXT: return %[[T]]
func.func @manual(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) {
  %0 = sdy.manual_computation(%x) in_shardings=[<@line, [{"x"}]>] out_shardings=[<@line, [{"x"}]>] manual_axes={"x"} (%part: tensor<2xf32>) {
    %1 = stablehlo.tanh %part : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A call gives what the function is said to, whoever is partitioned first.
// CHECK-LABEL: func @caller
// CHECK: %[[ALL:.*]] = "stablehlo.all_gather"(%arg0)
// CHECK: call @callee(%[[ALL]]) : (tensor<8xf32>) -> tensor<2xf32>
func.func @caller(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) {
  %0 = call @callee(%x) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @callee(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) {
  return %x : tensor<8xf32>
}

// -----

// Devices in an order of their own find their place in a table.
// CHECK-LABEL: func @ordered
// CHECK: %[[ID:.*]] = stablehlo.convert
// CHECK: %[[TABLE:.*]] = stablehlo.constant dense<[0, 2, 1, 3]>
// CHECK: stablehlo.dynamic_slice %[[TABLE]], %[[ID]]
sdy.mesh @mixed = <["x"=4], device_ids=[0, 2, 1, 3]>
func.func @ordered(%x: tensor<8xf32>) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mixed, [{"x"}]>}) {
  return %x : tensor<8xf32>
}

// -----

// Where no device is spoken of, nothing changes.
// CHECK: module {
// CHECK-LABEL: func @alone(%arg0: tensor<8xf32>) -> tensor<8xf32>
func.func @alone(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
