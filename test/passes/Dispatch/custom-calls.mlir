// RUN: heddle-opt %s --heddle-lower --heddle-dispatch=target=x86-64-v3 --split-input-file | FileCheck %s

// Equal calls share a function; types keep their signs, attributes their names.
// CHECK: func.func private @call.f(tensor<4xi32>) -> tensor<4xi32> attributes {kernel.custom_call = {api_version = 4 : i32, attributes = {n = 3 : i32}, backend_config = "", operands = [tensor<4xui32>], results = [tensor<4xui32>], side_effect = false, target = "f"}, kernel.entry}
// CHECK-NEXT: func.func private @call.f.1({{.*}}attributes = {n = 4 : i32}
// CHECK-LABEL: func.func @main
// CHECK: %[[SUM:.*]] = kernel.launch @k0(%arg0)
// CHECK: %[[A:.*]] = kernel.launch @call.f(%[[SUM]]) : (tensor<4xi32>) -> tensor<4xi32>
// CHECK: %[[B:.*]] = kernel.launch @call.f(%[[A]])
// CHECK: kernel.launch @call.f.1(%[[B]])
func.func @main(%x: tensor<4xui32>) -> tensor<4xui32> {
  %s = stablehlo.add %x, %x : tensor<4xui32>
  %0 = stablehlo.custom_call @f(%s) {api_version = 4 : i32, backend_config = {n = 3 : i32}, heddle.registered} : (tensor<4xui32>) -> tensor<4xui32>
  %1 = stablehlo.custom_call @f(%0) {api_version = 4 : i32, backend_config = {n = 3 : i32}, heddle.registered} : (tensor<4xui32>) -> tensor<4xui32>
  %2 = stablehlo.custom_call @f(%1) {api_version = 4 : i32, backend_config = {n = 4 : i32}, heddle.registered} : (tensor<4xui32>) -> tensor<4xui32>
  return %2 : tensor<4xui32>
}

// -----

// Complex numbers as they lie in memory; an alias is a tie.
// CHECK: func.func private @call.g(tensor<3x2xf32> {kernel.tied = 0 : i64}) -> tensor<3x2xf32>
// CHECK-SAME: backend_config = "text", operands = [tensor<3xcomplex<f32>>], results = [tensor<3xcomplex<f32>>]
func.func @main(%x: tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>> {
  %0 = stablehlo.custom_call @g(%x) {backend_config = "text", heddle.registered,
    output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]}
    : (tensor<3xcomplex<f32>>) -> tensor<3xcomplex<f32>>
  return %0 : tensor<3xcomplex<f32>>
}

// -----

// A row kernel could take both sums; but the effect stands between them, and
// needs the first.
// CHECK-LABEL: func.func @main
// CHECK: %[[FIRST:.*]] = kernel.launch @k0(%arg0)
// CHECK: kernel.launch @call.h(%[[FIRST]]) : (tensor<4xf32>) -> ()
// CHECK: kernel.launch @call.h(%arg1) : (tensor<4xf32>) -> ()
// CHECK: %[[SECOND:.*]] = kernel.launch @k1(%arg0, %[[FIRST]])
// CHECK: kernel.launch @call.h(%[[SECOND]])
// CHECK: return %[[SECOND]]
func.func @main(%x: tensor<4x9xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>
  stablehlo.custom_call @h(%0) {has_side_effect = true, heddle.registered} : (tensor<4xf32>) -> ()
  stablehlo.custom_call @h(%y) {has_side_effect = true, heddle.registered} : (tensor<4xf32>) -> ()
  %b = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<4xf32>) -> tensor<4x9xf32>
  %d = stablehlo.subtract %x, %b : tensor<4x9xf32>
  %1 = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [1] : (tensor<4x9xf32>, tensor<f32>) -> tensor<4xf32>
  stablehlo.custom_call @h(%1) {has_side_effect = true, heddle.registered} : (tensor<4xf32>) -> ()
  return %1 : tensor<4xf32>
}
