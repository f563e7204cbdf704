// Products of very many factors are none of the forms: found without looking at all of them.
// RUN: timeout 60 heddle-opt --heddle-recognize-composites %s | FileCheck %s

// CHECK-LABEL: func.func @squares
// CHECK-NOT: composite
// CHECK: return
func.func @squares(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %x1 = stablehlo.multiply %x0, %x0 : tensor<4xf32>
  %x2 = stablehlo.multiply %x1, %x1 : tensor<4xf32>
  %x3 = stablehlo.multiply %x2, %x2 : tensor<4xf32>
  %x4 = stablehlo.multiply %x3, %x3 : tensor<4xf32>
  %x5 = stablehlo.multiply %x4, %x4 : tensor<4xf32>
  %x6 = stablehlo.multiply %x5, %x5 : tensor<4xf32>
  %x7 = stablehlo.multiply %x6, %x6 : tensor<4xf32>
  %x8 = stablehlo.multiply %x7, %x7 : tensor<4xf32>
  %x9 = stablehlo.multiply %x8, %x8 : tensor<4xf32>
  %x10 = stablehlo.multiply %x9, %x9 : tensor<4xf32>
  %x11 = stablehlo.multiply %x10, %x10 : tensor<4xf32>
  %x12 = stablehlo.multiply %x11, %x11 : tensor<4xf32>
  %x13 = stablehlo.multiply %x12, %x12 : tensor<4xf32>
  %x14 = stablehlo.multiply %x13, %x13 : tensor<4xf32>
  %x15 = stablehlo.multiply %x14, %x14 : tensor<4xf32>
  %x16 = stablehlo.multiply %x15, %x15 : tensor<4xf32>
  %x17 = stablehlo.multiply %x16, %x16 : tensor<4xf32>
  %x18 = stablehlo.multiply %x17, %x17 : tensor<4xf32>
  %x19 = stablehlo.multiply %x18, %x18 : tensor<4xf32>
  %x20 = stablehlo.multiply %x19, %x19 : tensor<4xf32>
  %x21 = stablehlo.multiply %x20, %x20 : tensor<4xf32>
  %x22 = stablehlo.multiply %x21, %x21 : tensor<4xf32>
  %x23 = stablehlo.multiply %x22, %x22 : tensor<4xf32>
  %x24 = stablehlo.multiply %x23, %x23 : tensor<4xf32>
  %x25 = stablehlo.multiply %x24, %x24 : tensor<4xf32>
  %x26 = stablehlo.multiply %x25, %x25 : tensor<4xf32>
  %x27 = stablehlo.multiply %x26, %x26 : tensor<4xf32>
  %x28 = stablehlo.multiply %x27, %x27 : tensor<4xf32>
  %x29 = stablehlo.multiply %x28, %x28 : tensor<4xf32>
  %x30 = stablehlo.multiply %x29, %x29 : tensor<4xf32>
  %x31 = stablehlo.multiply %x30, %x30 : tensor<4xf32>
  %x32 = stablehlo.multiply %x31, %x31 : tensor<4xf32>
  %x33 = stablehlo.multiply %x32, %x32 : tensor<4xf32>
  %x34 = stablehlo.multiply %x33, %x33 : tensor<4xf32>
  %x35 = stablehlo.multiply %x34, %x34 : tensor<4xf32>
  %x36 = stablehlo.multiply %x35, %x35 : tensor<4xf32>
  %x37 = stablehlo.multiply %x36, %x36 : tensor<4xf32>
  %x38 = stablehlo.multiply %x37, %x37 : tensor<4xf32>
  %x39 = stablehlo.multiply %x38, %x38 : tensor<4xf32>
  %x40 = stablehlo.multiply %x39, %x39 : tensor<4xf32>
  return %x40 : tensor<4xf32>
}
