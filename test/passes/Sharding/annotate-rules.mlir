// RUN: heddle-opt %s --heddle-annotate-rules --split-input-file | FileCheck %s

// CHECK-LABEL: func @product
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=8, k=6} reduction={k}>
func.func @product(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A rule that is there stays.
// CHECK-LABEL: func @carried
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=4}, custom>
func.func @carried(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = stablehlo.transpose %a, dims = [0, 1] {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=4}, custom>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func @annotation
// CHECK: sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=6}>
func.func @annotation(%a: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// What is unknown, what takes nothing and what has open sizes gets none.
// CHECK-LABEL: func @none
// CHECK-NOT: sharding_rule
// CHECK: return
func.func @none(%a: tensor<4x6xf32>, %b: tensor<?xf32>) -> (tensor<4x6xf32>, tensor<4xi32>, tensor<?xf32>) {
  %0 = stablehlo.custom_call @unknown(%a) : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = stablehlo.iota dim = 0 : tensor<4xi32>
  %2 = stablehlo.abs %b : tensor<?xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4xi32>, tensor<?xf32>
}

// -----

// A composite has the rule of its body.
// CHECK-LABEL: func @composite
// CHECK: stablehlo.composite {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i]) {i=4, j=6} reduction={j}>
func.func @composite(%a: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = stablehlo.composite "any.squares" %a {decomposition = @body} : (tensor<4x6xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @body(%a: tensor<4x6xf32>) -> tensor<4xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<4x6xf32>
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.reduce(%0 init: %i) applies stablehlo.add across dimensions = [1] : (tensor<4x6xf32>, tensor<f32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
