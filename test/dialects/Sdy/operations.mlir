// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

sdy.mesh @grid = <["r"=4, "c"=3]>
sdy.mesh @swapped = <["r"=4, "c"=3], device_ids=[11, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0]>

// CHECK-LABEL: func @said
func.func @said(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK: %0 = sdy.sharding_constraint %arg0 <@grid, [{"r"}, {?}]> : tensor<8x6xf32>
  %0 = sdy.sharding_constraint %a <@grid, [{"r"}, {?}]> : tensor<8x6xf32>
  // CHECK: %1 = sdy.reshard %0 <@grid, [{}, {"c"}]> : tensor<8x6xf32>
  %1 = sdy.reshard %0 <@grid, [{}, {"c"}]> : tensor<8x6xf32>
  // CHECK: sdy.sharding_group %1 group_id=7 : tensor<8x6xf32>
  sdy.sharding_group %1 group_id=7 : tensor<8x6xf32>
  // CHECK: %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x6xf32>
  %2 = sdy.propagation_barrier %1 allowed_direction=BACKWARD : tensor<8x6xf32>
  // CHECK: %3 = sdy.constant {note} dense<2.500000e+00> : tensor<8x6xf32>
  %3 = sdy.constant {note} dense<2.5> : tensor<8x6xf32>
  // CHECK: %4 = stablehlo.add %2, %3
  %4 = stablehlo.add %2, %3 : tensor<8x6xf32>
  // CHECK: %5 = sdy.data_flow_edge %4 sharding=<@grid, [{?}, {?}]> : tensor<8x6xf32>
  %5 = sdy.data_flow_edge %4 sharding=<@grid, [{?}, {?}]> : tensor<8x6xf32>
  // CHECK: %6 = stablehlo.abs %5
  %6 = stablehlo.abs %5 : tensor<8x6xf32>
  // CHECK: %7 = sdy.data_flow_edge %6 : tensor<8x6xf32>
  %7 = sdy.data_flow_edge %6 : tensor<8x6xf32>
  return %7 : tensor<8x6xf32>
}

// CHECK-LABEL: func @called
func.func @called(%a: tensor<8x6xf32>, %t: !stablehlo.token) -> tensor<8x6xf32> {
  // CHECK: %0 = sdy.func_data_flow_edge %arg0 : tensor<8x6xf32>
  %0 = sdy.func_data_flow_edge %a : tensor<8x6xf32>
  // CHECK: sdy.sharding_constraint %arg1 <@grid, []> : !stablehlo.token
  %1 = sdy.sharding_constraint %t <@grid, []> : !stablehlo.token
  return %0 : tensor<8x6xf32>
}

// CHECK-LABEL: func @regions
func.func @regions(%a: tensor<8x6xf32>) -> tensor<8x6xf32> {
  // CHECK: %0 = sdy.manual_computation(%arg0) in_shardings=[<@grid, [{"r"}, {"c"}]>] out_shardings=[<@grid, [{"r"}, {?}]>] manual_axes={"r"} (%arg1: tensor<2x6xf32>) {
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"r"}, {"c"}]>] out_shardings=[<@grid, [{"r"}, {?}]>] manual_axes={"r"} (%b: tensor<2x6xf32>) {
    // CHECK: sdy.sharding_constraint %arg1 <@grid, [{}, {"c"}]>
    %2 = sdy.sharding_constraint %b <@grid, [{}, {"c"}]> : tensor<2x6xf32>
    // CHECK: sdy.return %{{.*}} : tensor<2x6xf32>
    sdy.return %2 : tensor<2x6xf32>
  // CHECK: } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: %1 = sdy.named_computation<"layer">(%0) in_shardings=[<@grid, [{}, {}]>] (%arg1: tensor<8x6xf32>) {
  %1 = sdy.named_computation<"layer">(%0) in_shardings=[<@grid, [{}, {}]>] (%b: tensor<8x6xf32>) {
    sdy.return %b : tensor<8x6xf32>
  } : (tensor<8x6xf32>) -> tensor<8x6xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return %1 : tensor<8x6xf32>
}

// CHECK-LABEL: func @collectives
func.func @collectives(%a: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@grid, [{"r"}, {"c"}]>}) -> tensor<8x6xf32> {
  // CHECK: %0 = sdy.all_gather [{"r":(2)2}, {"c"}] %arg0 out_sharding=<@grid, [{"r":(1)2}, {}]> : tensor<8x6xf32>
  %0 = sdy.all_gather [{"r":(2)2}, {"c"}] %a out_sharding=<@grid, [{"r":(1)2}, {}]> : tensor<8x6xf32>
  // CHECK: %1 = sdy.all_slice [{"r":(2)2}, {}] %0 out_sharding=<@grid, [{"r"}, {}]> : tensor<8x6xf32>
  %1 = sdy.all_slice [{"r":(2)2}, {}] %0 out_sharding=<@grid, [{"r"}, {}]> : tensor<8x6xf32>
  // CHECK: %2 = sdy.all_to_all [{"r":(2)2}: 0->1] %1 out_sharding=<@grid, [{"r":(1)2}, {"r":(2)2}]> : tensor<8x6xf32>
  %2 = sdy.all_to_all [{"r":(2)2}: 0->1] %1 out_sharding=<@grid, [{"r":(1)2}, {"r":(2)2}]> : tensor<8x6xf32>
  // CHECK: %3 = sdy.collective_permute %2 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2}]> : tensor<8x6xf32>
  %3 = sdy.collective_permute %2 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2}]> : tensor<8x6xf32>
  // CHECK: %4 = sdy.all_reduce max {"c"} %3 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2}]> : tensor<8x6xf32>
  %4 = sdy.all_reduce max {"c"} %3 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2}]> : tensor<8x6xf32>
  // CHECK: %5 = sdy.reduce_scatter [{}, {"c"}] %4 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2, "c"}]> : tensor<8x6xf32>
  %5 = sdy.reduce_scatter [{}, {"c"}] %4 out_sharding=<@swapped, [{"r":(2)2}, {"r":(1)2, "c"}]> : tensor<8x6xf32>
  // CHECK: %6 = sdy.sharded_to_unreduced [{"r":(2)2}, {"c"}] %5 out_sharding=<@swapped, [{}, {"r":(1)2}], unreduced={"r":(2)2, "c"}> : tensor<8x6xf32>
  %6 = sdy.sharded_to_unreduced [{"r":(2)2}, {"c"}] %5 out_sharding=<@swapped, [{}, {"r":(1)2}], unreduced={"r":(2)2, "c"}> : tensor<8x6xf32>
  // CHECK: %7 = sdy.all_reduce {"r":(2)2, "c"} %6 out_sharding=<@swapped, [{}, {"r":(1)2}]> : tensor<8x6xf32>
  %7 = sdy.all_reduce {"r":(2)2, "c"} %6 out_sharding=<@swapped, [{}, {"r":(1)2}]> : tensor<8x6xf32>
  // CHECK: %8 = sdy.replicated_to_unreduced {"c"} %7 out_sharding=<@swapped, [{}, {"r":(1)2}], unreduced={"c"}> : tensor<8x6xf32>
  %8 = sdy.replicated_to_unreduced {"c"} %7 out_sharding=<@swapped, [{}, {"r":(1)2}], unreduced={"c"}> : tensor<8x6xf32>
  return %8 : tensor<8x6xf32>
}
