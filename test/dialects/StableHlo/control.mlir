// RUN: heddle-opt %s | FileCheck %s
// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --emit-bytecode | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @loop
func.func @loop(%n: tensor<i32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK-NEXT: %[[W:.*]]:2 = stablehlo.while(%[[I:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}) : tensor<i32>, tensor<2xf32>
  // CHECK-NEXT: cond {
  // CHECK-NEXT: stablehlo.compare LT, %[[I]], %{{.*}}, SIGNED
  // CHECK: } do {
  // CHECK: stablehlo.return %[[I]], %{{.*}} : tensor<i32>, tensor<2xf32>
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<2xf32>
   cond {
    %1 = stablehlo.compare LT, %i, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %y : tensor<2xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<2xf32>
  }
  return %0#1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @branches
func.func @branches(%p: tensor<i1>, %i: tensor<i32>, %x: tensor<f32>) {
  // CHECK-NEXT: "stablehlo.if"(%{{.*}}) ({
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
  // CHECK: "stablehlo.case"(%{{.*}}) ({
  %1 = "stablehlo.case"(%i) ({
    stablehlo.return %x : tensor<f32>
  }) : (tensor<i32>) -> tensor<f32>
  return
}

// CHECK-LABEL: func.func @calls
func.func @calls(%x: tensor<2xf32>) {
  // CHECK-NEXT: stablehlo.custom_call @foo(%{{.*}}) {backend_config = "bar", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  %0 = stablehlo.custom_call @foo(%x) {backend_config = "bar", has_side_effect = true, output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.custom_call @"a b"() {api_version = 4 : i32, backend_config = {x = 1 : i64}} : () -> ()
  stablehlo.custom_call @"a b"() {api_version = 4 : i32, backend_config = {x = 1 : i64}} : () -> ()
  // CHECK-NEXT: stablehlo.composite "ns.op" %{{.*}} {composite_attributes = {n = 2 : i64}, decomposition = @impl, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  %1 = stablehlo.composite "ns.op" %x {composite_attributes = {n = 2 : i64}, decomposition = @impl, version = 1 : i32} : (tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func private @impl(%x: tensor<2xf32>) -> tensor<2xf32> {
  return %x : tensor<2xf32>
}

// CHECK-LABEL: func.func @tuples_and_tokens
func.func @tuples_and_tokens(%x: tensor<2xf32>, %t: !stablehlo.token) {
  // CHECK-NEXT: stablehlo.tuple %{{.*}}, %{{.*}} : tuple<tensor<2xf32>, !stablehlo.token>
  %0 = stablehlo.tuple %x, %t : tuple<tensor<2xf32>, !stablehlo.token>
  // CHECK-NEXT: stablehlo.get_tuple_element %{{.*}}[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  %1 = stablehlo.get_tuple_element %0[0] : (tuple<tensor<2xf32>, !stablehlo.token>) -> tensor<2xf32>
  // CHECK-NEXT: stablehlo.after_all %{{.*}}, %{{.*}} : !stablehlo.token
  %2 = stablehlo.after_all %t, %t : !stablehlo.token
  // CHECK-NEXT: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<2xf32>, !stablehlo.token
  %3:2 = stablehlo.optimization_barrier %x, %t : tensor<2xf32>, !stablehlo.token
  // CHECK-NEXT: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier ()
  return
}
