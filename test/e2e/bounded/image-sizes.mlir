// Images as large as a call has: convolutions and pooling over the true height and width, without masks.
// RUN: split-file %s %t && cd %t
// RUN: heddle compile images.mlir --shape arg0=2x6x9x10 -o most.heddle > launches
// RUN: heddle compile images.mlir --shape arg0=0..2x6x4..9x5..10 -o sized.heddle >> launches
// RUN: FileCheck %s --check-prefix=LAUNCHES < launches
// Of as large images the transposed convolution, whose channels come first in the result, is turned by a kernel of its own.
// LAUNCHES: launched [[#COUNT:]] times
// LAUNCHES: launched [[#COUNT+1]] times
// RUN: heddle compare images.mlir --shape arg0=0..2x6x4..9x5..10 --shape arg0=0x6x4x5 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..2x6x4..9x5..10 --shape arg0=1x6x4x5 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..2x6x4..9x5..10 --shape arg0=1x6x7x10 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..2x6x4..9x5..10 --shape arg0=2x6x9x9 | FileCheck %s
// RUN: heddle compare images.mlir --shape arg0=0..2x6x4..9x5..10 --shape arg0=2x6x9x10 | FileCheck %s
// CHECK: ok
// CHECK-NOT: WRONG

// What lies around windows counts: all is computed over the bound.
// RUN: heddle compare counted.mlir --shape arg0=0..2x5..9 --shape arg0=1x6 | FileCheck %s

// Padding before a convolution is its own, with gaps between points, too.
// RUN: heddle compile -q padded.mlir --shape arg0=0..2x3x1..9x1..10 --stop-after=heddle-graph --force -o padded.graph.mlir
// RUN: FileCheck %s --check-prefix=PADDED < padded.graph.mlir
// RUN: heddle compare -q padded.mlir --shape arg0=0..2x3x1..9x1..10 | FileCheck %s
// PADDED-NOT: stablehlo.pad
// PADDED: stablehlo.convolution
// PADDED-NOT: stablehlo.pad
// PADDED: return

//--- padded.mlir
func.func @main(%x: tensor<?x3x?x?xf32>) -> tensor<?x20x?x?xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.iota dim = 0 : tensor<20x3x3x2xf32>
  %j = stablehlo.iota dim = 2 : tensor<20x3x3x2xf32>
  %k = stablehlo.multiply %i, %j : tensor<20x3x3x2xf32>
  %w = stablehlo.cosine %k : tensor<20x3x3x2xf32>
  %0 = stablehlo.pad %x, %zero, low = [0, 0, 1, 0], high = [0, 0, 2, 3], interior = [0, 0, 0, 2] : (tensor<?x3x?x?xf32>, tensor<f32>) -> tensor<?x3x?x?xf32>
  %1 = stablehlo.convolution(%0, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1], pad = [[0, 0], [1, 0]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x3x?x?xf32>, tensor<20x3x3x2xf32>) -> tensor<?x20x?x?xf32>
  return %1 : tensor<?x20x?x?xf32>
}
//--- images.mlir
func.func @main(%x: tensor<?x6x?x?xf32>) -> (tensor<?x40x?x?xf32>, tensor<?x12xf32>, tensor<?x5x?x?xf32>, tensor<?x7x?x?xf32>) {
  %i = stablehlo.iota dim = 0 : tensor<40x6x7x7xf32>
  %j = stablehlo.iota dim = 3 : tensor<40x6x7x7xf32>
  %s = stablehlo.multiply %i, %j : tensor<40x6x7x7xf32>
  %w = stablehlo.cosine %s : tensor<40x6x7x7xf32>
  %none = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  // Strided, then pooled.
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 2], pad = [[3, 3], [3, 3]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x6x?x?xf32>, tensor<40x6x7x7xf32>) -> tensor<?x40x?x?xf32>
  %1 = "stablehlo.reduce_window"(%0, %none) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 1, 3, 3>, window_strides = array<i64: 1, 1, 2, 2>,
      padding = dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>} : (tensor<?x40x?x?xf32>, tensor<f32>) -> tensor<?x40x?x?xf32>
  // Each channel by itself, a sum with the input, groups of channels, and a mean over all points.
  %wd = stablehlo.slice %w [0:6, 0:1, 1:4, 2:5] : (tensor<40x6x7x7xf32>) -> tensor<6x1x3x3xf32>
  %2 = stablehlo.convolution(%x, %wd) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 6 : i64} : (tensor<?x6x?x?xf32>, tensor<6x1x3x3xf32>) -> tensor<?x6x?x?xf32>
  %3 = stablehlo.add %2, %x : tensor<?x6x?x?xf32>
  %wg = stablehlo.slice %w [0:12, 0:2, 1:4, 2:4] : (tensor<40x6x7x7xf32>) -> tensor<12x2x3x2xf32>
  %4 = stablehlo.convolution(%3, %wg) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[2, 1], [0, 2]], rhs_dilate = [2, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 3 : i64} : (tensor<?x6x?x?xf32>, tensor<12x2x3x2xf32>) -> tensor<?x12x?x?xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [2, 3] : (tensor<?x12x?x?xf32>, tensor<f32>) -> tensor<?x12xf32>
  // Transposed; single points, of which some are left out.
  %wt = stablehlo.slice %w [0:5, 0:6, 1:4, 2:5] : (tensor<40x6x7x7xf32>) -> tensor<5x6x3x3xf32>
  %6 = stablehlo.convolution(%x, %wt) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 2], [1, 2]], lhs_dilate = [2, 2]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x6x?x?xf32>, tensor<5x6x3x3xf32>) -> tensor<?x5x?x?xf32>
  %wp = stablehlo.slice %w [0:7, 0:6, 1:2, 2:3] : (tensor<40x6x7x7xf32>) -> tensor<7x6x1x1xf32>
  %7 = stablehlo.convolution(%x, %wp) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {stride = [2, 1]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x6x?x?xf32>, tensor<7x6x1x1xf32>) -> tensor<?x7x?x?xf32>
  return %1, %5, %6, %7 : tensor<?x40x?x?xf32>, tensor<?x12xf32>, tensor<?x5x?x?xf32>, tensor<?x7x?x?xf32>
}

//--- counted.mlir
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %one) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %m = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) {window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>} : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}
