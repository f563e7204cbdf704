// Padding that cuts and padding with gaps, around tensors and around the images of convolutions: over the true height and width, without masks.
// RUN: heddle compile %s --shape arg0=0..2x3x3..9x2..10 -o %t.heddle 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARKS --allow-empty < %t.remarks
// REMARKS-NOT: largest sizes
// RUN: heddle compare %s --shape arg0=0..2x3x3..9x2..10 --shape arg0=0x3x3x2 | FileCheck %s
// RUN: heddle compare %s --shape arg0=0..2x3x3..9x2..10 --shape arg0=1x3x3x2 | FileCheck %s
// RUN: heddle compare %s --shape arg0=0..2x3x3..9x2..10 --shape arg0=2x3x4x3 | FileCheck %s
// RUN: heddle compare %s --shape arg0=0..2x3x3..9x2..10 --shape arg0=1x3x8x7 | FileCheck %s
// RUN: heddle compare %s --shape arg0=0..2x3x3..9x2..10 --shape arg0=2x3x9x10 | FileCheck %s
// CHECK: ok
// CHECK-NOT: WRONG

func.func @main(%x: tensor<?x3x?x?xf32>) -> (tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x3x?x?xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<5x3x3x4xf32>
  %j = stablehlo.iota dim = 3 : tensor<5x3x3x4xf32>
  %k = stablehlo.iota dim = 2 : tensor<5x3x3x4xf32>
  %s = stablehlo.multiply %i, %j : tensor<5x3x3x4xf32>
  %t = stablehlo.add %s, %k : tensor<5x3x3x4xf32>
  %w = stablehlo.cosine %t : tensor<5x3x3x4xf32>
  %fill = stablehlo.constant dense<7.0> : tensor<f32>
  // Gaps along both, more cut at one end than is put at the other.
  %0 = stablehlo.pad %x, %fill, low = [0, 0, -2, 3], high = [0, 0, 1, -4], interior = [0, 0, 1, 2] : (tensor<?x3x?x?xf32>, tensor<f32>) -> tensor<?x3x?x?xf32>
  // As much is cut as there may be.
  %1 = stablehlo.pad %x, %fill, low = [0, 0, -2, 0], high = [0, 0, -1, -2], interior = [0, 0, 0, 0] : (tensor<?x3x?x?xf32>, tensor<f32>) -> tensor<?x3x?x?xf32>
  // Of an image as it is, and of one with zeros between its points.
  %2 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[-1, 3], [4, -2]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x?x?xf32>, tensor<5x3x3x4xf32>) -> tensor<?x5x?x?xf32>
  %3 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[-1, -2], [3, -1]], lhs_dilate = [2, 3]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x?x?xf32>, tensor<5x3x3x4xf32>) -> tensor<?x5x?x?xf32>
  // Each channel by itself, twice as large.
  %wd = stablehlo.slice %w [0:3, 0:1, 0:3, 0:4] : (tensor<5x3x3x4xf32>) -> tensor<3x1x3x4xf32>
  %4 = stablehlo.convolution(%x, %wd) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 2], [2, 2]], lhs_dilate = [2, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<?x3x?x?xf32>, tensor<3x1x3x4xf32>) -> tensor<?x3x?x?xf32>
  return %0, %1, %2, %3, %4 : tensor<?x3x?x?xf32>, tensor<?x3x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x5x?x?xf32>, tensor<?x3x?x?xf32>
}
