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
