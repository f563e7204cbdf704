// RUN: heddle-opt %s --canonicalize | FileCheck %s

sdy.mesh @grid = <["r"=4, "one"=1]>

// CHECK-LABEL: func @inner_reshard
// CHECK-NEXT: %[[R:.*]] = sdy.reshard %arg0 <@grid, [{"r"}]>
// CHECK-NEXT: return %[[R]]
func.func @inner_reshard(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.reshard %a <@grid, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@grid, [{"r"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// What something else reads as well stays.
// CHECK-LABEL: func @shared_reshard
// CHECK-COUNT-2: sdy.reshard
func.func @shared_reshard(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.reshard %a <@grid, [{}]> : tensor<8xf32>
  %1 = sdy.reshard %0 <@grid, [{"r"}]> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Equal constants stay apart.
// CHECK-LABEL: func @constants
// CHECK-COUNT-2: sdy.constant {{.*}}dense<1.000000e+00>
func.func @constants() -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@grid, [{"r"}]>]>} dense<1.0> : tensor<8xf32>
  %1 = sdy.constant dense<1.0> : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// CHECK-LABEL: func @unread_operand
// CHECK: sdy.manual_computation(%arg1) in_shardings=[<@grid, [{"r"}]>]
func.func @unread_operand(%a: tensor<12xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a, %b) in_shardings=[<@grid, [{}]>, <@grid, [{"r"}]>] out_shardings=[<@grid, [{"r"}]>]
      manual_axes={"r"} (%c: tensor<12xf32>, %d: tensor<2xf32>) {
    sdy.return %d : tensor<2xf32>
  } : (tensor<12xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @axis_of_size_one
// CHECK-NEXT: %[[R:.*]] = stablehlo.abs %arg0
// CHECK-NEXT: return %[[R]]
func.func @axis_of_size_one(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"one"}]>] out_shardings=[<@grid, [{"one"}]>] manual_axes={"one"} (%b: tensor<8xf32>) {
    %1 = stablehlo.abs %b : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func @manual
// CHECK: manual_axes={"r"}
func.func @manual(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@grid, [{"r"}]>] out_shardings=[<@grid, [{"r"}]>] manual_axes={"r"} (%b: tensor<2xf32>) {
    %1 = stablehlo.abs %b : tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
