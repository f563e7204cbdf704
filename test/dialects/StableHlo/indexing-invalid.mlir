// RUN: heddle-opt %s --split-input-file --verify-diagnostics

func.func @dynamic_slice_c2(%x: tensor<4x6xf32>, %i: tensor<i32>) {
  // expected-error @below {{1 start_indices and 2 slice_sizes for an operand of rank 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [1, 2] : (tensor<4x6xf32>, tensor<i32>) -> tensor<1x2xf32>
  return
}

// -----

func.func @dynamic_slice_c4(%x: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @below {{slice_sizes[0] = 5 is not inside 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.dynamic_slice %x, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @update_c6(%x: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @below {{update of type 'tensor<5xf32>' is larger than the operand of type 'tensor<4xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = stablehlo.dynamic_update_slice %x, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @gather_c1(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>) {
  // expected-error @below {{slice_sizes, offset_dims, collapsed_slice_dims and operand_batching_dims do not cover the dimensions of 'tensor<5x7xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<2x1xi64>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>) {
  // expected-error @below {{index_vector_dim 3 is outside of 'tensor<2x1xi64>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 3>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<2x1xi64>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<5x7xf32>, %i: tensor<2x2xi64>) {
  // expected-error @below {{start_index_map has 1 entries for indices of 2}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 7>}> : (tensor<5x7xf32>, tensor<2x2xi64>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gather_c9(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>) {
  // expected-error @below {{slice_sizes[0] = 2 in a dimension that is dropped}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 2, 7>}> : (tensor<5x7xf32>, tensor<2x1xi64>) -> tensor<2x7xf32>
  return
}

// -----

func.func @gather_c21(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>) {
  // expected-error @below {{slice_sizes[1] = 8 is not inside 'tensor<5x7xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 8>}> : (tensor<5x7xf32>, tensor<2x1xi64>) -> tensor<2x8xf32>
  return
}

// -----

func.func @scatter_c4(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>, %u: tensor<3x7xf32>) {
  // expected-error @below {{updates of type 'tensor<3x7xf32>' do not have one window per index of 'tensor<2x1xi64>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<2x1xi64>, tensor<3x7xf32>) -> tensor<5x7xf32>
  return
}

// -----

func.func @scatter_window(%x: tensor<5x7xf32>, %i: tensor<2x1xi64>, %u: tensor<2x8xf32>) {
  // expected-error @below {{window of 'tensor<2x8xf32>' is larger than the input 'tensor<5x7xf32>'}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<2x1xi64>, tensor<2x8xf32>) -> tensor<5x7xf32>
  return
}

// -----

func.func @scatter_c7(%x: tensor<5x7xf32>, %i: tensor<1xi64>, %u: tensor<5x7xf32>) {
  // expected-error @below {{update_window_dims is not sorted}}
  %0 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1, 0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %b : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<1xi64>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return
}

// -----

func.func @sort_c4(%x: tensor<3x5xf32>) {
  // expected-error @below {{dimension 2 is not a dimension of rank 2}}
  %0 = "stablehlo.sort"(%x) <{dimension = 2 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @sort_c5(%x: tensor<3x5xf32>) {
  // expected-error @below {{comparator returns something else than one tensor<i1>}}
  %0 = "stablehlo.sort"(%x) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    stablehlo.return %a : tensor<f32>
  }) : (tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gather_c21_negative(%x: tensor<3x5xf32>, %i: tensor<2x1xi32>) {
  // A size that means "not known" in types.
  // expected-error @below {{slice_sizes[0] = -9223372036854775808 is negative}}
  // expected-error @below {{failed to infer returned types}}
  %0 = "stablehlo.gather"(%x, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: -9223372036854775808, 5>} : (tensor<3x5xf32>, tensor<2x1xi32>) -> tensor<2x5xf32>
  return
}
