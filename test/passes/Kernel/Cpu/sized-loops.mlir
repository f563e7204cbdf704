// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v4 --canonicalize --cse | FileCheck %s
// Kernels of generics run as far as a call's sizes: dimensions that lie densely are one loop, and what a launch computes of sizes comes as
// numbers.

#id = affine_map<(a, b, c) -> (a, b, c)>

// One loop over all elements, of which 128 are a multiple of what one step takes: no remainder.
// CHECK-LABEL: func @whole(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[N:.*]]: index, %{{.*}}: memref<?xi8>
// CHECK-SAME: kernel.size_arguments = #size.extents<128 * batch * sequence>
// CHECK-SAME: kernel.tile_count = #size.expression<floordiv(
// CHECK: arith.minsi %{{.*}}, %[[N]]
// CHECK-NOT: masked
// CHECK: return
func.func @whole(%a: tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>)
    -> tensor<8x512x128xf32, #size.extents<batch, sequence, 128>> attributes {kernel.entry} {
  %e = tensor.empty() : tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a : tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>) outs(%e : tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.negf %x : f32
    linalg.yield %s : f32
  } -> tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>
  return %0 : tensor<8x512x128xf32, #size.extents<batch, sequence, 128>>
}

// Rows of a sized length: whole steps, then single vectors under a mask that counts what is left.
// CHECK-LABEL: func @rows(
// CHECK-SAME: %{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[ROW:.*]]: index, %{{.*}}: memref<?xi8>
// CHECK-SAME: kernel.size_arguments = #size.extents<sequence>
// CHECK: scf.for
// CHECK: arith.divui %[[ROW]]
// CHECK: %[[LEFT:.*]] = arith.subi %[[ROW]]
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[LEFT]] : index to i32
// CHECK: %[[SPREAD:.*]] = vector.broadcast %[[COUNT]]
// CHECK: %[[MASK:.*]] = arith.cmpi sgt, %[[SPREAD]]
// CHECK: vector.maskedload %{{.*}}, %[[MASK]]
// CHECK: arith.select %[[MASK]]
func.func @rows(%a: tensor<8x512xf32, #size.extents<8, sequence>>) -> tensor<8xf32> attributes {kernel.entry} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x512xf32, #size.extents<8, sequence>>) outs(%f : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %x, %o : f32
    linalg.yield %s : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// What a unit keeps for a later loop over its row takes as much scratch as the row of a call is long.
// CHECK-LABEL: func @kept(
// CHECK-SAME: kernel.scratch = 2048 : i64, kernel.scratch_bytes = #size.expression<64 * floordiv(sequence + 15, 16)>
func.func @kept(%a: tensor<8x512xf32, #size.extents<8, sequence>>) -> tensor<8x512xf32, #size.extents<8, sequence>>
    attributes {kernel.entry} {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x512xf32, #size.extents<8, sequence>>
  %s = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%z : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x512xf32, #size.extents<8, sequence>>) outs(%e : tensor<8x512xf32, #size.extents<8, sequence>>) {
  ^bb0(%x: f32, %o: f32):
    %y = math.exp %x : f32
    linalg.yield %y : f32
  } -> tensor<8x512xf32, #size.extents<8, sequence>>
  %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%0 : tensor<8x512xf32, #size.extents<8, sequence>>) outs(%f : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.addf %x, %o : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a, b)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%0, %1 : tensor<8x512xf32, #size.extents<8, sequence>>, tensor<8xf32>) outs(%e : tensor<8x512xf32, #size.extents<8, sequence>>) {
  ^bb0(%x: f32, %n: f32, %o: f32):
    %y = arith.divf %x, %n : f32
    linalg.yield %y : f32
  } -> tensor<8x512xf32, #size.extents<8, sequence>>
  return %2 : tensor<8x512xf32, #size.extents<8, sequence>>
}
