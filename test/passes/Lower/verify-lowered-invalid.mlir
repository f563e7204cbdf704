// RUN: heddle-opt %s --heddle-verify-lowered --split-input-file --verify-diagnostics

// expected-error @below {{'heddle.target' before targets part}}
module attributes {heddle.target = "x86-64-v3"} {
}

// -----

// expected-error @below {{a weight is packed before targets part}}
kernel.weight @w : tensor<3x4xf32> packing "* k n -> * n/32 k n%32" {
  %0 = stablehlo.constant dense<1.0> : tensor<3x4xf32>
  kernel.yield %0 : tensor<3x4xf32>
}

// -----

func.func @main(%x: tensor<2x3xf32>, %w: tensor<1x3x32xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{an operand is packed before targets part}}
  %0 = kernel.contract %x, %w {
    extents = array<i64: 2, 4, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"],
    rhs_packing = "* k n -> * n/32 k n%32"
  } : tensor<2x3xf32>, tensor<1x3x32xf32> -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.negate' is no root and no loop}}
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'kernel.launch' is no root and no loop}}
  %0 = kernel.launch @k0(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @k0(tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry}
