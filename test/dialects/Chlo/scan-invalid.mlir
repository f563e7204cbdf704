// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @no_steps(%zero: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{has neither inputs nor scan_dim_size}}
  %0 = chlo.scan() inits (%zero) dimension=0 {
  ^bb0(%carry: tensor<3xf32>):
    stablehlo.return %carry : tensor<3xf32>
  } : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @slice(%x: tensor<5x3xf32>, %zero: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @below {{has a body with a value of type 'tensor<4xf32>' for 'tensor<5x3xf32>'}}
  %0 = chlo.scan(%x) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<4xf32>, %carry: tensor<3xf32>):
    stablehlo.return %carry : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @ragged(%lhs: tensor<6x3xf32>, %rhs: tensor<2x4x4xf32>, %sizes: tensor<2xi32>) -> tensor<6x4xf32> {
  // expected-error @below {{has contracting dimensions of sizes 3 and 4}}
  %0 = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
    : (tensor<6x3xf32>, tensor<2x4x4xf32>, tensor<2xi32>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
