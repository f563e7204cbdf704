// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK: sdy.mesh @grid = <["r"=4, "c"=6]>
sdy.mesh @grid = <["r"=4, "c"=6]>
// CHECK: sdy.mesh @turned = <["r"=2, "c"=2], device_ids=[3, 1, 2, 0]>
sdy.mesh @turned = <["r"=2, "c"=2], device_ids=[3, 1, 2, 0]>
// CHECK: sdy.mesh @third = <[], device_ids=[2]>
sdy.mesh @third = <[], device_ids=[2]>

// Each way in which a dimension can be cut, and what is said besides.
// CHECK-LABEL: func @dimensions
// CHECK-SAME: %arg0: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(2)2, "c":(1)3, ?}p2, {?}p1]>}
// CHECK-SAME: %arg1: tensor<?xf32> {sdy.sharding = #sdy.sharding<@grid, [{"c"}], replicated={"r":(1)2}, unreduced={"r":(2)2}>}
// CHECK-SAME: %arg2: tensor<f32> {sdy.sharding = #sdy.sharding<@third, []>}
// CHECK-SAME: {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=min{"r", "c"}>}
func.func @dimensions(%a: tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r":(2)2, "c":(1)3, ?}p2, {?}p1]>},
                      %b: tensor<?xf32> {sdy.sharding = #sdy.sharding<@grid, [{"c"}], replicated={"r":(1)2}, unreduced={"r":(2)2}>},
                      %c: tensor<f32> {sdy.sharding = #sdy.sharding<@third, []>})
    -> (tensor<9x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{}, {}], unreduced=min{"r", "c"}>}) {
  return %a : tensor<9x6xf32>
}

// A mesh may be written where it is used.
// CHECK-LABEL: func @inline
// CHECK: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["q"=5]>, [{"q"}]>]>}
func.func @inline(%a: tensor<10xf32>) -> tensor<10xf32> {
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[<mesh<["q"=5]>, [{"q"}]>]>} : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// Within lists an attribute may have its name as well.
// CHECK-LABEL: func @named
// CHECK: stablehlo.abs %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["q"=5]>, [{"q"}]>]>}
func.func @named(%a: tensor<10xf32>) -> tensor<10xf32> {
  %0 = stablehlo.abs %a {sdy.sharding = #sdy.sharding_per_value<[#sdy.sharding<mesh<["q"=5]>, [{"q"}]>]>} : tensor<10xf32>
  return %0 : tensor<10xf32>
}

// CHECK-LABEL: func @rules
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([j, i], [])->([kl, j]) {i=3, j=4, k=2, l=5} reduction={i} need_replication={k} permutation={l} blocked_propagation={j, l}, custom>
// CHECK: sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"r" = operand-0 -> [result-0]}, {"c":(2)3 = result-0 -> [operand-0]}]}]>
func.func @rules(%a: tensor<4x3xf32>, %b: tensor<f32>) {
  %0 = stablehlo.custom_call @any(%a, %b) {
    sdy.sharding_rule = #sdy.op_sharding_rule<([j, i], [])->([kl, j]) {i=3, j=4, k=2, l=5} reduction={i} need_replication={k} permutation={l} blocked_propagation={j, l}, custom>
  } : (tensor<4x3xf32>, tensor<f32>) -> tensor<10x4xf32>
  %1 = stablehlo.abs %0 {
    sdy.propagation_edges = #sdy.propagation_edges<[{step-0 = [{"r" = operand-0 -> [result-0]}, {"c":(2)3 = result-0 -> [operand-0]}]}]>,
    sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}, {}]>]>
  } : tensor<10x4xf32>
  return
}

// Attributes that stand alone.
// CHECK-LABEL: func @alone
// CHECK-SAME: a = #sdy.axis_ref<"r":(2)2>, b = #sdy.dimension_sharding<{"r", ?}>, c = #sdy<manual_axes{"r"}>, d = #sdy<axis_ref_list{"r", "c"}>
// CHECK-SAME: e = #sdy<list_of_axis_ref_lists[{"r"}, {}]>, f = #sdy<all_to_all_param_list[{"r"}: 0->1]>, g = #sdy.all_to_all_param<[{"r"}: 0->1]>
// CHECK-SAME: h = #sdy.mesh_axis<"r"=4>, i = #sdy.tensor_mapping<[ij]>, j = #sdy.dim_mapping<ij>, k = #sdy.edge_value_ref<operand-1>
// CHECK-SAME: l = #sdy.axis_to_propagation_details<"r" = operand-0 -> [result-0]>, m = #sdy.propagation_one_step<step-1 = []>
func.func @alone() attributes {a = #sdy.axis_ref<"r":(2)2>, b = #sdy.dimension_sharding<{"r", ?}>, c = #sdy<manual_axes{"r"}>, d = #sdy<axis_ref_list{"r", "c"}>,
    e = #sdy<list_of_axis_ref_lists[{"r"}, {}]>, f = #sdy<all_to_all_param_list[{"r"}: 0->1]>, g = #sdy.all_to_all_param<[{"r"}: 0->1]>,
    h = #sdy.mesh_axis<"r"=4>, i = #sdy.tensor_mapping<[ij]>, j = #sdy.dim_mapping<ij>, k = #sdy.edge_value_ref<operand-1>,
    l = #sdy.axis_to_propagation_details<"r" = operand-0 -> [result-0]>, m = #sdy.propagation_one_step<step-1 = []>} {
  return
}
