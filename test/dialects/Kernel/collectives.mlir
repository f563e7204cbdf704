// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%x: tensor<4xf32>, %t: tensor<6xi8>) {
  // CHECK: kernel.collective "all_reduce" by "sum"(%{{.*}}) groups [0, 1, 2, 3] of 2 type f32 channel 1 : tensor<4xf32> -> tensor<4xf32>
  %0 = kernel.collective "all_reduce" by "sum"(%x) groups [0, 1, 2, 3] of 2 type f32 channel 1 : tensor<4xf32> -> tensor<4xf32>
  // CHECK: kernel.collective "all_gather"(%{{.*}}) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<2x4xf32>
  %1 = kernel.collective "all_gather"(%x) groups [0, 1] of 2 type f32 : tensor<4xf32> -> tensor<2x4xf32>
  // CHECK: kernel.collective "reduce_scatter" by "maximum"(%{{.*}}) groups [0, 2, 1] of 3 type ui8 : tensor<6xi8> -> tensor<2xi8>
  %2 = kernel.collective "reduce_scatter" by "maximum"(%t) groups [0, 2, 1] of 3 type ui8 : tensor<6xi8> -> tensor<2xi8>
  // A rank may give and take, in two pairs.
  // CHECK: kernel.collective "permute"(%{{.*}}) groups [0, 1, 1, 2] of 2
  %3 = kernel.collective "permute"(%x) groups [0, 1, 1, 2] of 2 type f32 : tensor<4xf32> -> tensor<4xf32>
  // CHECK: kernel.rank : tensor<i32>
  %4 = kernel.rank : tensor<i32>
  return
}
