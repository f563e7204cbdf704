// RUN: heddle-opt %s --heddle-lower --heddle-dispatch=target=x86-64-v3 | FileCheck %s

// Dispatches are formed inside of loops. Constants are in the kernels that read
// them, weights are read from outside, packed.
// CHECK: kernel.weight @[[W:.*]] : tensor<4x4xf32> packing "* k n -> * n/32 k n%32"
// CHECK-LABEL: func.func @main
// CHECK: stablehlo.while
// CHECK: cond {
// CHECK: %[[P:.*]] = kernel.launch @{{.*}}(%{{[a-zA-Z0-9_]+}}) : (tensor<i32>) -> tensor<i1>
// CHECK-NEXT: stablehlo.return %[[P]]
// CHECK: do {
// CHECK-DAG: kernel.launch @{{.*}}(%{{[a-zA-Z0-9_]+}}) : (tensor<i32>) -> tensor<i32>
// CHECK-DAG: kernel.launch @{{.*}}(%{{.*}}, %{{.*}}) : (tensor<2x4xf32>, tensor<1x4x32xf32>) -> tensor<2x4xf32>
func.func @main(%a: tensor<2x4xf32>, %n: tensor<i32>) -> tensor<2x4xf32> {
  %c0 = stablehlo.constant dense<0> : tensor<i32>
  %ten = stablehlo.constant dense<10> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %w = stablehlo.constant dense<[[1., 2., 3., 4.], [1., 2., 3., 4.], [1., 2., 3., 4.], [1., 2., 3., 5.]]> : tensor<4x4xf32>
  %0:2 = stablehlo.while(%i = %c0, %x = %a) : tensor<i32>, tensor<2x4xf32>
   cond {
    %p = stablehlo.compare LT, %i, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %1 = stablehlo.add %i, %one : tensor<i32>
    %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %3 = stablehlo.tanh %2 : tensor<2x4xf32>
    stablehlo.return %1, %3 : tensor<i32>, tensor<2x4xf32>
  }
  return %0#1 : tensor<2x4xf32>
}
