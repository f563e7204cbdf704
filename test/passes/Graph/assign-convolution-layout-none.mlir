// RUN: heddle-opt --heddle-assign-convolution-layout %s | FileCheck %s

// Without a convolution in the module the transposes stay where they are.
// CHECK-LABEL: func.func @no_convolution
func.func @no_convolution(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  // CHECK-NEXT: stablehlo.transpose
  // CHECK-NEXT: stablehlo.tanh
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = stablehlo.tanh %0 : tensor<3x2xf32>
  return %1 : tensor<3x2xf32>
}
