// RUN: heddle-opt %s --split-input-file --verify-diagnostics | heddle-opt --split-input-file | FileCheck %s
// RUN: heddle-opt %s --split-input-file --verify-diagnostics --mlir-print-op-generic | heddle-opt --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @sums
func.func @sums(%x: tensor<5x3xf32>, %zero: tensor<3xf32>) -> tensor<5x3xf32> {
  // CHECK: chlo.scan(%{{.*}}) inits (%{{.*}}) dimension=0 attributes {is_reverse = true} {
  // CHECK: } : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  %0:2 = chlo.scan(%x) inits (%zero) dimension=0 attributes {is_reverse = true} {
  ^bb0(%slice: tensor<3xf32>, %carry: tensor<3xf32>):
    %1 = stablehlo.add %slice, %carry : tensor<3xf32>
    stablehlo.return %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  return %0#0 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @ragged
func.func @ragged(%lhs: tensor<6x3xf32>, %rhs: tensor<2x3x4xf32>, %sizes: tensor<2xi32>) -> tensor<6x4xf32> {
  // CHECK: #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision HIGHEST>],
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
    : (tensor<6x3xf32>, tensor<2x3x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
