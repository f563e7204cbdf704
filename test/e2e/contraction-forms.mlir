// Forms of contractions, compiled against interpreted: any order of dimensions, groups, dilations, reversed windows, negative
// padding, results wider than the operands, and results of which a part is used.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare conv-f32.mlir
// RUN: heddle compare conv-1d.mlir
// RUN: heddle compare conv-3d.mlir
// RUN: heddle compare conv-0d.mlir
// RUN: heddle compare conv-unsigned.mlir
// RUN: heddle compare conv-wide.mlir
// RUN: heddle compare dot-i1.mlir
// RUN: heddle compare dot-wide.mlir
// RUN: heddle compare dot-unsigned.mlir
// RUN: heddle compare dot-mixed.mlir
// RUN: heddle compare dot-sliced.mlir

//--- conv-f32.mlir
func.func @main(%x: tensor<2x7x2x3xf32>, %w: tensor<1x1x1x10xf32>) -> tensor<10x8x2x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, b, 1]x[1, i, 0, o]->[f, 0, b, 1], window = {stride = [1, 1], pad = [[2, -1], [0, 1]], lhs_dilate = [1, 2], rhs_dilate = [2, 1], reverse = [false, true]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x7x2x3xf32>, tensor<1x1x1x10xf32>) -> tensor<10x8x2x6xf32>
  return %0 : tensor<10x8x2x6xf32>
}
//--- conv-1d.mlir
func.func @main(%x: tensor<2x3x9xbf16>, %w: tensor<3x6x1xbf16>) -> tensor<2x2x6xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[i, o, 0]->[0, b, f], window = {stride = [2], pad = [[-1, 2]], lhs_dilate = [1], rhs_dilate = [1], reverse = [true]} {feature_group_count = 3 : i64, batch_group_count = 1 : i64} : (tensor<2x3x9xbf16>, tensor<3x6x1xbf16>) -> tensor<2x2x6xf32>
  return %0 : tensor<2x2x6xf32>
}
//--- conv-3d.mlir
func.func @main(%x: tensor<6x7x2x2x7xf64>, %w: tensor<2x1x1x2x4xf64>) -> tensor<5x2x1x6x4xf64> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [1, 2, f, b, 0]x[0, 1, 2, i, o]->[2, 1, b, 0, f], window = {stride = [1, 3, 3], pad = [[1, -1], [0, 0], [1, -1]], lhs_dilate = [1, 1, 2], rhs_dilate = [1, 2, 1], reverse = [false, true, false]} {feature_group_count = 1 : i64, batch_group_count = 2 : i64} : (tensor<6x7x2x2x7xf64>, tensor<2x1x1x2x4xf64>) -> tensor<5x2x1x6x4xf64>
  return %0 : tensor<5x2x1x6x4xf64>
}
//--- conv-0d.mlir
func.func @main(%x: tensor<6x2xi32>, %w: tensor<2x3xi32>) -> tensor<2x3xi32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, b]x[i, o]->[b, f], window = {} {feature_group_count = 3 : i64, batch_group_count = 1 : i64} : (tensor<6x2xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}
//--- conv-unsigned.mlir
func.func @main(%x: tensor<1x2x3x2xui8>, %w: tensor<1x10x1x1xui8>) -> tensor<4x2x1x10xui32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [0, f, 1, b]x[i, o, 1, 0]->[1, b, 0, f], window = {stride = [2, 3], pad = [[0, 0], [2, 1]], lhs_dilate = [2, 3], rhs_dilate = [1, 1], reverse = [false, false]} {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<1x2x3x2xui8>, tensor<1x10x1x1xui8>) -> tensor<4x2x1x10xui32>
  return %0 : tensor<4x2x1x10xui32>
}
//--- conv-wide.mlir
func.func @main(%x: tensor<9x1x3xi16>, %w: tensor<2x3x6xi16>) -> tensor<1x6x3xi64> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [f, 0, b]x[0, i, o]->[0, f, b], window = {stride = [3], pad = [[2, 0]], lhs_dilate = [3], rhs_dilate = [1], reverse = [false]} {feature_group_count = 3 : i64, batch_group_count = 1 : i64} : (tensor<9x1x3xi16>, tensor<2x3x6xi16>) -> tensor<1x6x3xi64>
  return %0 : tensor<1x6x3xi64>
}
//--- dot-i1.mlir
func.func @main(%x: tensor<17x2xi1>, %w: tensor<2x17xi1>) -> tensor<17x2xi1> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [0, 1] x [1, 0], contracting_dims = [] x [] : (tensor<17x2xi1>, tensor<2x17xi1>) -> tensor<17x2xi1>
  return %0 : tensor<17x2xi1>
}
//--- dot-wide.mlir
func.func @main(%x: tensor<33x2x3xi8>, %w: tensor<3x2xi8>) -> tensor<33x3x3xi64> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<33x2x3xi8>, tensor<3x2xi8>) -> tensor<33x3x3xi64>
  return %0 : tensor<33x3x3xi64>
}
//--- dot-unsigned.mlir
func.func @main(%x: tensor<1x3x1x2xui16>, %w: tensor<2x1x33x3xui16>) -> tensor<3x1x33xui64> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [1] x [3], contracting_dims = [2, 3] x [1, 0] : (tensor<1x3x1x2xui16>, tensor<2x1x33x3xui16>) -> tensor<3x1x33xui64>
  return %0 : tensor<3x1x33xui64>
}
//--- dot-mixed.mlir
func.func @main(%x: tensor<33x1xf16>, %w: tensor<33xf16>) -> tensor<33x1x33xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [] x [] : (tensor<33x1xf16>, tensor<33xf16>) -> tensor<33x1x33xf32>
  return %0 : tensor<33x1x33xf32>
}
//--- dot-sliced.mlir
func.func @main(%x: tensor<3x3x8xf32>, %w: tensor<3x8x5x16xf32>) -> tensor<2x8x5x16xf32> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [2] x [1], contracting_dims = [0] x [0] : (tensor<3x3x8xf32>, tensor<3x8x5x16xf32>) -> tensor<8x3x5x16xf32>
  %1 = stablehlo.slice %0 [0:8, 0:2, 0:5, 0:16] : (tensor<8x3x5x16xf32>) -> tensor<8x2x5x16xf32>
  %2 = stablehlo.transpose %1, dims = [1, 0, 2, 3] : (tensor<8x2x5x16xf32>) -> tensor<2x8x5x16xf32>
  return %2 : tensor<2x8x5x16xf32>
}
