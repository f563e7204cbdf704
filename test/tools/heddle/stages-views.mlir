// From heddle-lower on arguments and results are what kernels hold: pairs for complex numbers, integers without a sign, bytes for what is narrower.
// `--stages` compares all the same.
// RUN: heddle compare --stages --bisect %s | FileCheck %s
// CHECK: stage heddle-dispatch, interpreted:
// CHECK-NOT: WRONG
// CHECK: the program computes the same up to heddle-dispatch
func.func @main(%c: tensor<4xcomplex<f32>>, %x: tensor<4xui8>, %y: tensor<3xi4>, %z: tensor<3xf8E4M3FN>)
    -> (tensor<4xcomplex<f32>>, tensor<4xf32>, tensor<4xui8>, tensor<3xi4>, tensor<3xf8E4M3FN>) {
  %square = stablehlo.multiply %c, %c : tensor<4xcomplex<f32>>
  %0 = stablehlo.exponential %square : tensor<4xcomplex<f32>>
  %real = stablehlo.real %0 : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %1 = stablehlo.multiply %x, %x : tensor<4xui8>
  %2 = stablehlo.multiply %y, %y : tensor<3xi4>
  %3 = stablehlo.multiply %z, %z : tensor<3xf8E4M3FN>
  return %0, %real, %1, %2, %3 : tensor<4xcomplex<f32>>, tensor<4xf32>, tensor<4xui8>, tensor<3xi4>, tensor<3xf8E4M3FN>
}
