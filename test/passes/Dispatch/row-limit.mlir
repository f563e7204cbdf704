// One kernel goes through rows with at most as many operations as the target says; what is left forms kernels of its own.

// RUN: heddle-opt %s --heddle-lower-graph --heddle-assign-target="target=x86-64-v3 spelled" --heddle-fuse-elementwise -o %t.mlir
// RUN: heddle-opt %t.mlir --heddle-form-dispatches | FileCheck %s --check-prefix=WHOLE
// RUN: sed -e 's/maximum_row_operations = 64/maximum_row_operations = 2/' %t.mlir | heddle-opt --heddle-form-dispatches | FileCheck %s

// WHOLE-COUNT-1: kernel.dispatch
// WHOLE-NOT: kernel.dispatch
// CHECK-COUNT-2: kernel.dispatch
// CHECK-NOT: kernel.dispatch
func.func @main(%x: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<8x16xf32>, tensor<f32>) -> tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<8xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.divide %x, %1 : tensor<8x16xf32>
  %3 = stablehlo.subtract %x, %1 : tensor<8x16xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x16xf32>
}
