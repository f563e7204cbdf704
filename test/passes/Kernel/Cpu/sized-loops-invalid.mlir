// RUN: heddle-opt %s --split-input-file --verify-diagnostics --heddle-lower-kernels=target=x86-64-v4
// What kernels over sizes refuse.

func.func @disagree(%a: tensor<8xf32, #size.extents<batch>>, %b: tensor<8xf32, #size.extents<sequence>>) -> tensor<8xf32, #size.extents<batch>>
    attributes {kernel.entry} {
  %e = tensor.empty() : tensor<8xf32, #size.extents<batch>>
  // expected-error @below {{has operands of different true extents along loop 0}}
  %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
      ins(%a, %b : tensor<8xf32, #size.extents<batch>>, tensor<8xf32, #size.extents<sequence>>) outs(%e : tensor<8xf32, #size.extents<batch>>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8xf32, #size.extents<batch>>
  return %0 : tensor<8xf32, #size.extents<batch>>
}

// -----

func.func @unknown(%a: tensor<8x4xf32, #size.extents<batch, 4>>, %p: tensor<f32>) -> tensor<10x4xf32, #size.extents<batch + 2, 4>>
    attributes {kernel.entry} {
  %v = tensor.extract %p[] : tensor<f32>
  // expected-error @below {{has no kernel over extents that calls choose, as in 'tensor<8x4xf32, #size.extents<batch, 4>>'}}
  %0 = kernel.pad %a, %v {low = array<i64: 1, 0>, high = array<i64: 1, 0>, interior = array<i64: 0, 0>}
      : tensor<8x4xf32, #size.extents<batch, 4>>, f32 -> tensor<10x4xf32, #size.extents<batch + 2, 4>>
  return %0 : tensor<10x4xf32, #size.extents<batch + 2, 4>>
}

// -----

// expected-error @below {{kernel.tile_count wants an expression of sizes, on a function}}
func.func private @count() attributes {kernel.tile_count = 3}

// -----

// expected-error @below {{kernel.size_arguments wants expressions of sizes, on a function}}
func.func private @sizes() attributes {kernel.size_arguments = 3}
