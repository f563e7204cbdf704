// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed

// Several processes: replicas by partitions, that send each other tensors.

module @cross_replica {
  func.func private @gather(%x: tensor<1x2xi64>) -> (tensor<2x2xi64>, tensor<ui32>) {
    %all = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>}
      : (tensor<1x2xi64>) -> tensor<2x2xi64>
    %id = stablehlo.replica_id : tensor<ui32>
    return %all, %id : tensor<2x2xi64>, tensor<ui32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %b = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %r:4 = "interpreter.run_parallel"(%a, %b) {programs = [[@gather], [@gather]]}
      : (tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<2x2xi64>, tensor<ui32>, tensor<2x2xi64>, tensor<ui32>)
    // In the group's order, not in that of the replicas.
    check.expect_eq_const %r#0, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    check.expect_eq_const %r#2, dense<[[3, 4], [1, 2]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<0> : tensor<ui32>
    check.expect_eq_const %r#3, dense<1> : tensor<ui32>
    return
  }
}

// -----

// Two replicas by two partitions: the same groups mean other processes by channel and kind of id.
module @groupings {
  func.func private @sums(%x: tensor<i32>) -> (tensor<i32>, tensor<i32>, tensor<i32>) {
    %replicas = "stablehlo.all_reduce"(%x) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %s = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
    %partitions = "stablehlo.all_reduce"(%x) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %s = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>}
      : (tensor<i32>) -> tensor<i32>
    %flat = "stablehlo.all_reduce"(%x) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %s = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 3, -1], [1, 2, -1]]> : tensor<2x3xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, use_global_device_ids} : (tensor<i32>) -> tensor<i32>
    return %replicas, %partitions, %flat : tensor<i32>, tensor<i32>, tensor<i32>
  }
  func.func @main() {
    %1 = stablehlo.constant dense<1> : tensor<i32>
    %10 = stablehlo.constant dense<10> : tensor<i32>
    %100 = stablehlo.constant dense<100> : tensor<i32>
    %1000 = stablehlo.constant dense<1000> : tensor<i32>
    %r:12 = "interpreter.run_parallel"(%1, %10, %100, %1000) {programs = [[@sums, @sums], [@sums, @sums]]}
      : (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
      -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>,
          tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<101> : tensor<i32>
    check.expect_eq_const %r#1, dense<11> : tensor<i32>
    check.expect_eq_const %r#2, dense<1001> : tensor<i32>
    check.expect_eq_const %r#3, dense<1010> : tensor<i32>
    check.expect_eq_const %r#4, dense<11> : tensor<i32>
    check.expect_eq_const %r#5, dense<110> : tensor<i32>
    check.expect_eq_const %r#9, dense<1010> : tensor<i32>
    check.expect_eq_const %r#10, dense<1100> : tensor<i32>
    return
  }
}

// -----

// Groups by mesh axes: "b" varies fastest, and is cut in two parts of two.
module @mesh {
  func.func private @gather(%x: tensor<1xi32>) -> (tensor<2xi32>, tensor<2xi32>) {
    %a = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids,
      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 1>, #stablehlo.mesh_axis<name = "b", size = 4>]>, axes = [#stablehlo.axis_ref<name = "b", sub_axis_info = (1)2>]>}
      : (tensor<1xi32>) -> tensor<2xi32>
    %b = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 2, type = 0>, use_global_device_ids,
      replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "a", size = 1>, #stablehlo.mesh_axis<name = "b", size = 4>]>, axes = [#stablehlo.axis_ref<name = "b", sub_axis_info = (2)2>]>}
      : (tensor<1xi32>) -> tensor<2xi32>
    return %a, %b : tensor<2xi32>, tensor<2xi32>
  }
  func.func @main() {
    %0 = stablehlo.constant dense<0> : tensor<1xi32>
    %1 = stablehlo.constant dense<1> : tensor<1xi32>
    %2 = stablehlo.constant dense<2> : tensor<1xi32>
    %3 = stablehlo.constant dense<3> : tensor<1xi32>
    %r:8 = "interpreter.run_parallel"(%0, %1, %2, %3) {programs = [[@gather, @gather, @gather, @gather]]}
      : (tensor<1xi32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>)
      -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[0, 2]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[0, 1]> : tensor<2xi32>
    check.expect_eq_const %r#6, dense<[1, 3]> : tensor<2xi32>
    check.expect_eq_const %r#7, dense<[2, 3]> : tensor<2xi32>
    return
  }
}

// -----

module @exchanges {
  func.func private @f(%x: tensor<2x2xi32>) -> (tensor<1x4xi32>, tensor<1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>) {
    %all = "stablehlo.all_to_all"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 2 : i64,
      replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<1x4xi32>
    %scattered = "stablehlo.reduce_scatter"(%x) ({
    ^bb0(%l: tensor<i32>, %r: tensor<i32>):
      %s = stablehlo.add %l, %r : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {scatter_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<1x2xi32>
    %moved = "stablehlo.collective_permute"(%x) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    %root = "stablehlo.collective_broadcast"(%x) {replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>} : (tensor<2x2xi32>) -> tensor<2x2xi32>
    return %all, %scattered, %moved, %root : tensor<1x4xi32>, tensor<1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    %b = stablehlo.constant dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
    %r:8 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<2x2xi32>, tensor<2x2xi32>)
      -> (tensor<1x4xi32>, tensor<1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>, tensor<1x4xi32>, tensor<1x2xi32>, tensor<2x2xi32>, tensor<2x2xi32>)
    check.expect_eq_const %r#0, dense<[[1, 2, 5, 6]]> : tensor<1x4xi32>
    check.expect_eq_const %r#1, dense<[[6, 8]]> : tensor<1x2xi32>
    check.expect_eq_const %r#2, dense<0> : tensor<2x2xi32>
    check.expect_eq_const %r#3, dense<[[5, 6], [7, 8]]> : tensor<2x2xi32>
    check.expect_eq_const %r#4, dense<[[3, 4, 7, 8]]> : tensor<1x4xi32>
    check.expect_eq_const %r#5, dense<[[10, 12]]> : tensor<1x2xi32>
    check.expect_eq_const %r#6, dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
    return
  }
}

// -----

// Different programs; one sends what the other receives; the host feeds both.
module @transfers {
  func.func private @first() -> tensor<2xi32> {
    %t = stablehlo.create_token : !stablehlo.token
    %x:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %u = "stablehlo.send"(%x#0, %x#1) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    %o = "stablehlo.outfeed"(%x#0, %u) {outfeed_config = ""} : (tensor<2xi32>, !stablehlo.token) -> !stablehlo.token
    return %x#0 : tensor<2xi32>
  }
  func.func private @second() -> tensor<2xi32> {
    %t = stablehlo.create_token : !stablehlo.token
    %y:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>} : (!stablehlo.token) -> (tensor<2xi32>, !stablehlo.token)
    %z = stablehlo.add %y#0, %y#0 : tensor<2xi32>
    return %z : tensor<2xi32>
  }
  func.func private @queue() -> tensor<2xi32> {
    %x = stablehlo.constant dense<[7, 8]> : tensor<2xi32>
    return %x : tensor<2xi32>
  }
  func.func @main() {
    %r:2 = "interpreter.run_parallel"() {infeed = [@queue], programs = [[@first, @second]]} : () -> (tensor<2xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[7, 8]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<[14, 16]> : tensor<2xi32>
    return
  }
}

// -----

// Two futures, finished in the order in which they were not begun.
module @futures {
  func.func private @f(%x: tensor<2xi32>) -> (tensor<4xi32>, tensor<2xi32>) {
    %g = "stablehlo.async_start"(%x) ({
    ^bb0(%y: tensor<2xi32>):
      %all = "stablehlo.all_gather"(%y) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>
      stablehlo.return %all : tensor<4xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>
    %h = "stablehlo.async_start"(%x) ({
    ^bb0(%y: tensor<2xi32>):
      %moved = "stablehlo.collective_permute"(%y) {source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<2xi32>) -> tensor<2xi32>
      stablehlo.return %moved : tensor<2xi32>
    }) : (tensor<2xi32>) -> !stablehlo.future<tensor<2xi32>>
    %moved = "stablehlo.async_done"(%h) : (!stablehlo.future<tensor<2xi32>>) -> tensor<2xi32>
    %all = "stablehlo.async_done"(%g) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>
    return %all, %moved : tensor<4xi32>, tensor<2xi32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %r:4 = "interpreter.run_parallel"(%a, %b) {programs = [[@f], [@f]]} : (tensor<2xi32>, tensor<2xi32>) -> (tensor<4xi32>, tensor<2xi32>, tensor<4xi32>, tensor<2xi32>)
    check.expect_eq_const %r#0, dense<[1, 2, 3, 4]> : tensor<4xi32>
    check.expect_eq_const %r#1, dense<[3, 4]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<[1, 2]> : tensor<2xi32>
    return
  }
}

// -----

// Values noted on the way.
func.func @probes() {
  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %y = interpreter.probe %x, probe_id = "x" : tensor<2xi32>
  %z = stablehlo.add %y, %y : tensor<2xi32>
  %u = interpreter.probe %z, probe_id = "x" : tensor<2xi32>
  check.expect_serialized_eq %x, probe_id = "x", iteration = 1 : tensor<2xi32>
  check.expect_serialized_eq %u, probe_id = "x", iteration = 2 : tensor<2xi32>
  check.expect_close %u, %z, max_ulp_difference = 0 : tensor<2xi32>, tensor<2xi32>
  return
}

// -----

// The roots are computed: one for each operand.
module @roots {
  func.func private @f(%x: tensor<2xi32>, %y: tensor<i32>, %r: tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>) {
    %0:2 = "stablehlo.collective_broadcast"(%x, %y, %r) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>)
    return %0#0, %0#1 : tensor<2xi32>, tensor<i32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c = stablehlo.constant dense<5> : tensor<i32>
    %d = stablehlo.constant dense<6> : tensor<i32>
    %roots = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %r:4 = "interpreter.run_parallel"(%a, %c, %roots, %b, %d, %roots) {programs = [[@f], [@f]]}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<[3, 4]> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<5> : tensor<i32>
    check.expect_eq_const %r#2, dense<[3, 4]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<5> : tensor<i32>
    return
  }
}

// -----

// The sum is where the root that is computed says, zeros elsewhere.
module @reduced_at_roots {
  func.func private @f(%x: tensor<2xi32>, %y: tensor<i32>, %r: tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>) {
    %0:2 = "stablehlo.collective_reduce"(%x, %y, %r) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, has_dynamic_root}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>)
    return %0#0, %0#1 : tensor<2xi32>, tensor<i32>
  }
  func.func @main() {
    %a = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %b = stablehlo.constant dense<[3, 4]> : tensor<2xi32>
    %c = stablehlo.constant dense<5> : tensor<i32>
    %d = stablehlo.constant dense<6> : tensor<i32>
    %roots = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %r:4 = "interpreter.run_parallel"(%a, %c, %roots, %b, %d, %roots) {programs = [[@f], [@f]]}
      : (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<2xi32>, tensor<i32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<i32>, tensor<2xi32>, tensor<i32>)
    check.expect_eq_const %r#0, dense<0> : tensor<2xi32>
    check.expect_eq_const %r#1, dense<11> : tensor<i32>
    check.expect_eq_const %r#2, dense<[4, 6]> : tensor<2xi32>
    check.expect_eq_const %r#3, dense<0> : tensor<i32>
    return
  }
}
