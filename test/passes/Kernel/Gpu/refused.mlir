// RUN: heddle-opt %s --heddle-lower-gpu-kernels --split-input-file --verify-diagnostics
// What has no kernel for graphics processors is said by name.

module attributes {heddle.target = "cuda:sm_80"} {
  func.func @factorize(%a: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {kernel.entry} {
    // expected-error @below {{has no kernel for graphics processors: nobody has written how an element of it is computed}}
    %0 = kernel.routine "cholesky"(%a) {parameters = {lower = true}} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

module attributes {heddle.target = "cuda:sm_80"} {
  func.func @packed(%x: tensor<2x3xf32>, %w: tensor<1x3x32xf32>) -> tensor<2x4xf32> attributes {kernel.entry} {
    // expected-error @below {{has no kernel for graphics processors: it wants a packed operand or products of less exactness}}
    %0 = kernel.contract %x, %w {extents = array<i64: 2, 4, 3>, rhs_packing = "* k n -> * n/32 k n%32",
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"]} : tensor<2x3xf32>, tensor<1x3x32xf32> -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
}

// -----

// expected-error @below {{no graphics processor to compile kernels for: set 'heddle.target' on the module}}
module attributes {heddle.target = "x86-64-v3"} {
}
