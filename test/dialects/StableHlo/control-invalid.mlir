// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @while_c1(%x: tensor<f32>) {
  // expected-error @below {{cond returns something else than one tensor<i1>}}
  %0 = stablehlo.while(%y = %x) : tensor<f32>
   cond {
    stablehlo.return %y : tensor<f32>
  } do {
    stablehlo.return %y : tensor<f32>
  }
  return
}

// -----

func.func @while_c2(%x: tensor<f32>, %p: tensor<i1>) {
  // expected-error @below {{body returns other types than the operands have}}
  %0 = stablehlo.while(%y = %x) : tensor<f32>
   cond {
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return %p : tensor<i1>
  }
  return
}

// -----

func.func @branches_differ(%x: tensor<f32>, %p: tensor<i1>) {
  // expected-error @below {{branches return different types}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %p : tensor<i1>
  }) : (tensor<i1>) -> tensor<f32>
  return
}

// -----

func.func @composite_name(%x: tensor<f32>) {
  // expected-error @below {{name 'op' is not one in a namespace: namespace.op of letters, digits and '_' is wanted}}
  %0 = stablehlo.composite "op" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>
  return
}
func.func private @f(%x: tensor<f32>) -> tensor<f32>

// -----

func.func @composite_c2(%x: tensor<f32>) {
  // expected-error @below {{decomposition @g is not a function of this module}}
  %0 = stablehlo.composite "a.op" %x {decomposition = @g} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @composite_c3(%x: tensor<f32>) {
  // expected-error @below {{has other operand types than its decomposition @f}}
  %0 = stablehlo.composite "a.op" %x {decomposition = @f} : (tensor<f32>) -> tensor<f32>
  return
}
func.func private @f(%x: tensor<f64>) -> tensor<f32>

// -----

func.func @custom_call_config(%x: tensor<f32>) {
  // expected-error @below {{backend_config must be a dictionary for api_version 4}}
  %0 = stablehlo.custom_call @f(%x) {api_version = 4 : i32, backend_config = "x"} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @tuple_index(%x: tuple<tensor<f32>>) {
  // expected-error @below {{index 1 is outside of a tuple of 1}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.get_tuple_element %x[1] : (tuple<tensor<f32>>) -> tensor<f32>
  return
}

// -----

func.func @custom_call_alias(%x: tensor<4x2xf32>) {
  // expected-error @below {{output_operand_aliases names operand 3 of 1}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 3, operand_tuple_indices = []>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @custom_call_layouts(%x: tensor<4x2xf32>) {
  // expected-error @below {{which does not order the dimensions of}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<0> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @custom_call_layout_count(%x: tensor<4x2xf32>) {
  // expected-error @below {{has 2 layouts for 1 values}}
  %0 = stablehlo.custom_call @f(%x) {operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>]} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @if_pred(%p: tensor<1xi1>, %x: tensor<f32>) {
  // expected-error @below {{operand #0 must be 0-dimensional tensor of i1, but got 'tensor<1xi1>'}}
  %0 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    stablehlo.return %x : tensor<f32>
  }) : (tensor<1xi1>) -> tensor<f32>
  return
}

// -----

func.func private @f()
func.func @composite_name() {
  // expected-error @below {{name '0.foo' is not one in a namespace: namespace.op of letters, digits and '_' is wanted}}
  stablehlo.composite "0.foo" {decomposition = @f} : () -> ()
  return
}

// -----

func.func private @f()
func.func @composite_later_name() {
  // expected-error @below {{name 'foo.bar.' is not one in a namespace}}
  stablehlo.composite "foo.bar." {decomposition = @f} : () -> ()
  return
}

// -----

func.func @alias_result(%x: tensor<2xf32>) {
  // expected-error @below {{output_operand_aliases names a result that the call lacks}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @alias_member(%x: tuple<tensor<2xf32>>) {
  // expected-error @below {{output_operand_aliases names a member of operand 0 that it lacks}}
  %0 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = [1]>]} : (tuple<tensor<2xf32>>) -> tensor<2xf32>
  return
}

// -----

func.func @alias_type(%x: tensor<2xf32>) {
  // expected-error @below {{output_operand_aliases joins operand 0 of type 'tensor<2xf32>' with a result of type 'tensor<3xf32>'}}
  %0:2 = stablehlo.custom_call @f(%x) {output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [1], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2xf32>) -> (tensor<2xf32>, tensor<3xf32>)
  return
}
