// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// Attention over as many rows and keys as a call has: a worker's scratch holds the scores of a block of these rows, a row of them as long as
// the keys in whole panels and a vector.

// CHECK-LABEL: func.func @attention(
// CHECK-SAME: kernel.scratch = 207104 : i64, kernel.scratch_bytes = #size.expression<1024 * floordiv(keys + 31, 32) * min(floordiv(rows + 7, 8) - 8, 0) +
// CHECK-SAME: kernel.size_arguments
// CHECK: return
func.func @attention(%q: tensor<2x64x16xf32, #size.extents<2, rows, 16>>, %k: tensor<2x512x16xf32, #size.extents<2, keys, 16>>,
                     %v: tensor<2x512x16xf32, #size.extents<2, keys, 16>>)
    -> tensor<2x64x16xf32, #size.extents<2, rows, 16>> attributes {kernel.entry} {
  %0 = kernel.attention %q, %k, %v {
    extents = array<i64: 2, 64, 512, 16, 16>,
    indexing_maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                     affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>],
    scale = 2.500000e-01 : f32
  } : tensor<2x64x16xf32, #size.extents<2, rows, 16>>, tensor<2x512x16xf32, #size.extents<2, keys, 16>>, tensor<2x512x16xf32, #size.extents<2, keys, 16>>
    -> tensor<2x64x16xf32, #size.extents<2, rows, 16>>
  return %0 : tensor<2x64x16xf32, #size.extents<2, rows, 16>>
}

// Keys in a tensor that has room for more: as many count as the root says, and their rows lie as far apart as the tensor has them.
// CHECK-LABEL: func.func @cached(
// CHECK-SAME: kernel.size_arguments = #size.extents<{{.*}}keys{{.*}}>
// CHECK: return
func.func @cached(%q: tensor<2x1x16xf32>, %k: tensor<2x512x16xf32>, %v: tensor<2x512x16xf32>) -> tensor<2x1x16xf32> attributes {kernel.entry} {
  %0 = kernel.attention %q, %k, %v {
    extents = array<i64: 2, 1, 512, 16, 16>,
    indexing_maps = [affine_map<(h, m, n, d, e) -> (h, m, d)>, affine_map<(h, m, n, d, e) -> (h, n, d)>,
                     affine_map<(h, m, n, d, e) -> (h, n, e)>, affine_map<(h, m, n, d, e) -> (h, m, e)>],
    scale = 2.500000e-01 : f32, keys = #size.expression<keys>
  } : tensor<2x1x16xf32>, tensor<2x512x16xf32>, tensor<2x512x16xf32> -> tensor<2x1x16xf32>
  return %0 : tensor<2x1x16xf32>
}
