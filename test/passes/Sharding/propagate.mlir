// RUN: heddle-opt %s --heddle-sharding-propagate --split-input-file | FileCheck %s
// RUN: heddle-opt %s --heddle-sharding-propagate --split-input-file > %t.first
// RUN: heddle-opt %s --heddle-sharding-propagate --split-input-file | diff %t.first -
// RUN: heddle-opt %s --heddle-shard --split-input-file | diff %t.first -

sdy.mesh @grid = <["data"=4, "model"=2]>

// A layer whose weights are cut by columns, then by rows; the batch goes through all of it.
// CHECK-LABEL: func @layers
// CHECK-SAME: %arg0: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data"}, {}]>}
// CHECK-SAME: -> (tensor<16x8xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data", ?}, {?}]>})
func.func @layers(%x: tensor<16x32xf32> {sdy.sharding = #sdy.sharding<@grid, [{"data"}, {}]>},
                  %w: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {"model"}]>},
                  %v: tensor<64x8xf32>) -> tensor<16x8xf32> {
  // CHECK: stablehlo.dot_general %arg0, %arg1, {{.*}}[<@grid, [{"data", ?}, {"model", ?}]>]>}
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<16x32xf32>, tensor<32x64xf32>) -> tensor<16x64xf32>
  // CHECK: stablehlo.tanh {{.*}}[<@grid, [{"data", ?}, {"model", ?}]>]>}
  %1 = stablehlo.tanh %0 : tensor<16x64xf32>
  // CHECK: stablehlo.dot_general {{.*}}[<@grid, [{"data", ?}, {?}]>]>}
  %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<16x64xf32>, tensor<64x8xf32>) -> tensor<16x8xf32>
  return %2 : tensor<16x8xf32>
}

// -----

sdy.mesh @grid = <["x"=8]>

// An axis is split over the dimensions that a reshape makes of one.
// CHECK-LABEL: func @split
func.func @split(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<4x4xf32> {
  // CHECK: stablehlo.reshape {{.*}}[<@grid, [{"x":(1)4, ?}, {"x":(4)2, ?}]>]>}
  %0 = stablehlo.reshape %a : (tensor<16xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A barrier lets shardings through in its direction only.
// CHECK-LABEL: func @barrier
// CHECK-SAME: %arg1: tensor<16xf32>)
func.func @barrier(%a: tensor<16xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %b: tensor<16xf32>)
    -> (tensor<16xf32>, tensor<16xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) {
  // CHECK: sdy.propagation_barrier %arg0 allowed_direction=FORWARD {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>]>}
  %0 = sdy.propagation_barrier %a allowed_direction=FORWARD : tensor<16xf32>
  %1 = sdy.propagation_barrier %b allowed_direction=FORWARD : tensor<16xf32>
  return %0, %1 : tensor<16xf32>, tensor<16xf32>
}

// -----

// Where nothing is said, nothing follows; two meshes do not mix.
sdy.mesh @one = <["x"=2]>
sdy.mesh @two = <["x"=2, "y"=2]>

// CHECK-LABEL: func @nothing
// CHECK: stablehlo.abs %arg0 : tensor<4xf32>
func.func @nothing(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @meshes
// CHECK: stablehlo.add %arg0, %arg1 : tensor<4xf32>
func.func @meshes(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, [{"x"}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@two, [{"x"}]>}) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

sdy.mesh @grid = <["x"=2]>

// The state of a loop lies as its result, before the loop and in each round.
// CHECK-LABEL: func @loop
// CHECK-SAME: %arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x", ?}]>}
// CHECK: stablehlo.while{{.*}} attributes {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>, <@grid, []>]>}
// CHECK: stablehlo.add %{{[^ ]*}}, %{{[^ ]*}} {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>]>}
func.func @loop(%a: tensor<4xf32>, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %c: tensor<i1>) -> tensor<4xf32> {
  %0:2 = "stablehlo.while"(%a, %c) ({
  ^bb0(%p: tensor<4xf32>, %q: tensor<i1>):
    stablehlo.return %q : tensor<i1>
  }, {
  ^bb0(%p: tensor<4xf32>, %q: tensor<i1>):
    %1 = stablehlo.add %p, %b : tensor<4xf32>
    stablehlo.return %1, %q : tensor<4xf32>, tensor<i1>
  }) : (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<i1>)
  return %0#0 : tensor<4xf32>
}

// Values of a group lie alike, though no operation has both.
// CHECK-LABEL: func @group
// CHECK-SAME: %arg1: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x", ?}]>}
func.func @group(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %b: tensor<4xf32>) -> tensor<4xf32> {
  sdy.sharding_group %a group_id=7 : tensor<4xf32>
  sdy.sharding_group %b group_id=7 : tensor<4xf32>
  // CHECK: stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>]>}
  %0 = stablehlo.abs %b : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What one branch gives goes to the result, and so to what the other one gives.
// CHECK-LABEL: func @branches
// CHECK: "stablehlo.if"
// CHECK: stablehlo.abs %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>]>}
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"x", ?}]>]>}
func.func @branches(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}, %b: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %0 = "stablehlo.if"(%c) ({
    stablehlo.return %a : tensor<4xf32>
  }, {
    %1 = stablehlo.abs %b : tensor<4xf32>
    stablehlo.return %1 : tensor<4xf32>
  }) : (tensor<i1>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// An operand that is there twice, which its two places would cut differently: shardings only grow, so that an end is reached.
sdy.mesh @line = <["x"=4]>
// CHECK-LABEL: func @ends
// CHECK: "stablehlo.scatter"
func.func @ends(%a: tensor<12x6x2xi32> {sdy.sharding = #sdy.sharding<@line, [{}, {}, {"x"}]>},
                %places: tensor<4xi32> {sdy.sharding = #sdy.sharding<@line, [{"x"}]>}) -> tensor<4x3x2x6xi32> {
  %0 = stablehlo.reshape %a : (tensor<12x6x2xi32>) -> tensor<4x3x2x6xi32>
  %1 = "stablehlo.scatter"(%0, %places, %0) ({
  ^bb0(%l: tensor<i32>, %r: tensor<i32>):
    %2 = stablehlo.add %l, %r : tensor<i32>
    stablehlo.return %2 : tensor<i32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 2, 3], inserted_window_dims = [0],
        scatter_dims_to_operand_dims = [0], index_vector_dim = 1>,
      sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x":(2)2}, {}, {}, {}]>]>}
    : (tensor<4x3x2x6xi32>, tensor<4xi32>, tensor<4x3x2x6xi32>) -> tensor<4x3x2x6xi32>
  return %1 : tensor<4x3x2x6xi32>
}

// -----

// Parts of two divisions of one axis do not meet in one sharding: the sum lies as one of its operands.
sdy.mesh @line = <["x"=6]>
// CHECK-LABEL: func @divisions
// CHECK: stablehlo.reshape %arg1 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{?}, {"x":(1)2, ?}]>]>}
// CHECK: stablehlo.add %{{.*}}, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@line, [{"x":(3)2, ?}, {?}]>]>}
func.func @divisions(%a: tensor<12x6xi32> {sdy.sharding = #sdy.sharding<@line, [{"x":(3)2}, {?}]>},
                     %b: tensor<2x6x6xi32> {sdy.sharding = #sdy.sharding<@line, [{?}, {?}, {"x":(1)2, ?}]>}) -> tensor<12x6xi32> {
  %0 = stablehlo.reshape %b : (tensor<2x6x6xi32>) -> tensor<12x6xi32>
  %1 = stablehlo.add %0, %a : tensor<12x6xi32>
  return %1 : tensor<12x6xi32>
}
