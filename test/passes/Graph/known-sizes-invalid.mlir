// RUN: heddle-opt %s --heddle-simplify --split-input-file --verify-diagnostics

// Sizes that are known and fit nothing: their operations are named.

func.func @padding(%x: tensor<1x4x1xf32>, %w: tensor<3x1x1xf32>) -> tensor<1x5x1xf32> {
  %amounts = stablehlo.constant dense<[[-4, -4]]> : tensor<1x2xi32>
  // expected-error @below {{[HDL-0307] 'stablehlo.dynamic_conv' with the sizes that its operands hold}}
  %0 = "stablehlo.dynamic_conv"(%x, %w, %amounts) {dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x5x1xf32>
  return %0 : tensor<1x5x1xf32>
}

// -----

// What a constant holds as the program is written, the verifier sees.
func.func @pad(%x: tensor<4xf32>, %v: tensor<f32>) -> tensor<5xf32> {
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %low = stablehlo.add %one, %one : tensor<1xi32>
  %none = stablehlo.constant dense<0> : tensor<1xi32>
  // expected-error @below {{[HDL-0307] 'stablehlo.dynamic_pad' with the sizes that its operands hold}}
  %0 = stablehlo.dynamic_pad %x, %v, %low, %none, %none : (tensor<4xf32>, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// -----

func.func @slice(%x: tensor<4xf32>) -> tensor<2xf32> {
  %start = stablehlo.constant dense<3> : tensor<1xi32>
  %limit = stablehlo.constant dense<5> : tensor<1xi32>
  %stride = stablehlo.constant dense<1> : tensor<1xi32>
  // expected-error @below {{[HDL-0307] 'stablehlo.real_dynamic_slice' with the sizes that its operands hold}}
  %0 = stablehlo.real_dynamic_slice %x, %start, %limit, %stride : (tensor<4xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @gather(%x: tensor<4x3xf32>, %i: tensor<2x1xi32>) -> tensor<2x5xf32> {
  %one = stablehlo.constant dense<[0, 1]> : tensor<2xi32>
  %more = stablehlo.constant dense<[1, 4]> : tensor<2xi32>
  %sizes = stablehlo.add %one, %more : tensor<2xi32>
  // expected-error @below {{[HDL-0307] 'stablehlo.dynamic_gather' with the sizes that its operands hold}}
  %0 = "stablehlo.dynamic_gather"(%x, %i, %sizes) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<4x3xf32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
