// As many images as a call has: convolutions, pooling and running sums over the true number, without masks.
// RUN: split-file %s %t && cd %t
// RUN: heddle compile images.mlir --shape arg0=6x3x14x14 -o most.heddle > launches
// RUN: heddle compile images.mlir --shape arg0=0..6x3x14x14 -o sized.heddle >> launches
// RUN: FileCheck %s --check-prefix=LAUNCHES < launches
// LAUNCHES: launched [[COUNT:[0-9]+]] times
// LAUNCHES: launched [[COUNT]] times
// RUN: heddle compare images.mlir --shape arg0=0..6x3x14x14 --shape arg0=0x3x14x14 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..6x3x14x14 --shape arg0=1x3x14x14 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..6x3x14x14 --shape arg0=5x3x14x14 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..6x3x14x14 --shape arg0=6x3x14x14 | FileCheck %s
// CHECK: ok
// CHECK-NOT: WRONG

//--- images.mlir
func.func @main(%x: tensor<?x3x14x14xf32>) -> (tensor<?x40x4x4xf32>, tensor<?x40x4x4xf32>) {
  %w = stablehlo.constant dense<0.125> : tensor<40x3x3x3xf32>
  %i = stablehlo.iota dim = 0 : tensor<40x1x3x3xf32>
  %v = stablehlo.sine %i : tensor<40x1x3x3xf32>
  %j = stablehlo.iota dim = 1 : tensor<40x40x1x1xf32>
  %u = stablehlo.cosine %j : tensor<40x40x1x1xf32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // Strided and padded; each channel by itself; single points, of which the second product leaves some out.
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[1, 1], [1, 0]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x14x14xf32>, tensor<40x3x3x3xf32>) -> tensor<?x40x7x13xf32>
  %1 = stablehlo.convolution(%0, %v) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 40 : i64} : (tensor<?x40x7x13xf32>, tensor<40x1x3x3xf32>) -> tensor<?x40x7x13xf32>
  %2 = stablehlo.convolution(%1, %u) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x40x7x13xf32>, tensor<40x40x1x1xf32>) -> tensor<?x40x7x13xf32>
  %3 = stablehlo.add %0, %2 : tensor<?x40x7x13xf32>
  %4 = stablehlo.convolution(%3, %u) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [1, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x40x7x13xf32>, tensor<40x40x1x1xf32>) -> tensor<?x40x7x7xf32>
  %5 = "stablehlo.reduce_window"(%4, %none) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>,
      padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>} : (tensor<?x40x7x7xf32>, tensor<f32>) -> tensor<?x40x4x4xf32>
  %6 = "stablehlo.reduce_window"(%5, %zero) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 40, 1, 1>, padding = dense<[[0, 0], [39, 0], [0, 0], [0, 0]]> : tensor<4x2xi64>}
      : (tensor<?x40x4x4xf32>, tensor<f32>) -> tensor<?x40x4x4xf32>
  return %5, %6 : tensor<?x40x4x4xf32>, tensor<?x40x4x4xf32>
}
