// A version that cannot hold the program is named, with the operation and what it needs.

// RUN: heddle-translate --serialize --target=1.0.0 --split-input-file --verify-diagnostics %s -o %t

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.tan' came with version 1.4.0; the target is 1.0.0}}
  %0 = stablehlo.tan %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' has the attribute 'function_type', which version 1.8.0 introduced; the target is 1.0.0}}
func.func @main(%a: tensor<4xf4E2M1FN>) -> tensor<4xf4E2M1FN> {
  return %a : tensor<4xf4E2M1FN>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.exponential' has the attribute 'result_accuracy', which version 1.9.0 introduced; the target is 1.0.0}}
  %0 = stablehlo.exponential %a {result_accuracy = #stablehlo.result_accuracy<ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @below {{'stablehlo.all_reduce' has several operands, which version 1.5.0 introduced; the target is 1.0.0}}
  %0:2 = "stablehlo.all_reduce"(%a, %b) ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {replica_groups = dense<0> : tensor<1x1xi64>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @main(%a: tensor<4x3x5xf32>, %i: tensor<4x2xi32>) -> tensor<4x2x5xf32> {
  // expected-error @below {{'stablehlo.gather' has the attribute 'operand_batching_dims', which version 1.1.0 introduced; the target is 1.0.0}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [1],
      operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>,
      slice_sizes = array<i64: 1, 1, 5>}> : (tensor<4x3x5xf32>, tensor<4x2xi32>) -> tensor<4x2x5xf32>
  return %0 : tensor<4x2x5xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.custom_call' has a dictionary as its backend_config, which version 1.3.0 introduced; the target is 1.0.0}}
  %0 = stablehlo.custom_call @f(%a) {api_version = 4 : i32, backend_config = {a = 1 : i32}} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'chlo.erf' has no place in VHLO, which holds stablehlo and func alone}}
  %0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
