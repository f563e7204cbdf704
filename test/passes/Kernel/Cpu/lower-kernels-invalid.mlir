// RUN: heddle-opt %s --heddle-lower-kernels --split-input-file --verify-diagnostics

// expected-error @below {{no processor to compile kernels for: set 'heddle.target' on the module or the pass's option 'target'}}
module {
}

// -----

module attributes {heddle.target = "x86-64-v4"} {
  // expected-error @below {{a kernel function returns each computed value once}}
  func.func @passes_on(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry} {
    return %a : tensor<4xf32>
  }
}

// -----

module attributes {heddle.target = "x86-64-v4"} {
  func.func @other(%a: tensor<4xf32>) -> tensor<2xf32> attributes {kernel.entry} {
    // expected-error @below {{cannot be lowered as part of a kernel of loops}}
    %0 = tensor.extract_slice %a[0] [2] [1] : tensor<4xf32> to tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

// No kernel for processors rounds what it multiplies.
module attributes {heddle.target = "x86-64-v4"} {
  func.func @main(%q: tensor<2x4xf32>, %k: tensor<3x4xf32>) -> tensor<2x4xf32> attributes {kernel.entry} {
    // expected-error @below {{asks for other sums than kernels for processors give}}
    %0 = kernel.attention %q, %k, %k {
      extents = array<i64: 2, 3, 4, 4>,
      indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>, affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
      scale = 1.0 : f32, value_algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
    } : tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}
