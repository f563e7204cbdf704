// A routine is a call: buffers, scratch memory, what it is to do, and a range of its units.
// RUN: heddle-opt %s --heddle-lower-kernels=target=x86-64-v3 | FileCheck %s

// A matrix of the batch is a tile.
// CHECK-LABEL: func private @cholesky(
// CHECK-SAME:  %[[A:.*]]: memref<?xf32>, %[[L:.*]]: memref<?xf32>, %{{.*}}: memref<?xi8>, %{{.*}}: index, %[[BEGIN:.*]]: index, %[[END:.*]]: index)
// CHECK-SAME:  kernel.scratch = {{[1-9][0-9]*}} : i64, kernel.tiles = 3 : i64
// CHECK-DAG:   %[[N:.*]] = arith.constant 200 : index
// CHECK-DAG:   %[[LOWER:.*]] = arith.constant 1 : index
// CHECK-DAG:   %[[SCRATCH:.*]] = memref.view
// CHECK:       %[[LAST:.*]] = arith.minsi %[[END]]
// CHECK:       kernel.call "heddle_cholesky_f32"(%[[A]], %[[L]], %[[SCRATCH]], %[[N]], %[[LOWER]], %[[BEGIN]], %[[LAST]])
func.func private @cholesky(%a: tensor<3x200x200xf32>) -> tensor<3x200x200xf32> attributes {kernel.entry} {
  %l = kernel.routine "cholesky"(%a) {parameters = {lower = true}} : (tensor<3x200x200xf32>) -> tensor<3x200x200xf32>
  return %l : tensor<3x200x200xf32>
}

// Columns are solved in blocks.
// CHECK-LABEL: func private @solve(
// CHECK-SAME:  kernel.tiles = 8 : i64
// CHECK:       kernel.call "heddle_triangular_solve_c128"
func.func private @solve(%a: tensor<512x512xf64>, %ai: tensor<512x512xf64>, %b: tensor<512x1000xf64>, %bi: tensor<512x1000xf64>) -> (tensor<512x1000xf64>, tensor<512x1000xf64>) attributes {kernel.entry} {
  %x:2 = kernel.routine "triangular_solve"(%a, %ai, %b, %bi) {parameters = {left_side = true, lower = true, transpose_a = "NO_TRANSPOSE", unit_diagonal = false}} : (tensor<512x512xf64>, tensor<512x512xf64>, tensor<512x1000xf64>, tensor<512x1000xf64>) -> (tensor<512x1000xf64>, tensor<512x1000xf64>)
  return %x#0, %x#1 : tensor<512x1000xf64>, tensor<512x1000xf64>
}

// Nothing to do is no tile.
// CHECK-LABEL: func private @empty(
// CHECK-SAME:  kernel.tiles = 0 : i64
func.func private @empty(%a: tensor<0x4x4xf32>) -> tensor<0x4x4xf32> attributes {kernel.entry} {
  %l = kernel.routine "cholesky"(%a) : (tensor<0x4x4xf32>) -> tensor<0x4x4xf32>
  return %l : tensor<0x4x4xf32>
}
