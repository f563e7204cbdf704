// Windows, compiled against interpreted: padding holds initial values, which count unless they are neutral.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare padding-counts.mlir
// RUN: heddle compare computed.mlir
// RUN: heddle compare dilated.mlir
// RUN: heddle compare largest.mlir
// RUN: heddle compare two-operands.mlir
// RUN: heddle compare last-dimension.mlir
// RUN: heddle compare one-channel.mlir

//--- padding-counts.mlir
func.func @main(%x: tensor<5x7xf32>) -> tensor<6x8xf32> {
  %init = stablehlo.constant dense<1.5> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 2, 3>, padding = dense<[[1, 1], [2, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x7xf32>, tensor<f32>) -> tensor<6x8xf32>
  return %0 : tensor<6x8xf32>
}
//--- computed.mlir
func.func @main(%x: tensor<2x9x17xf32>, %init: tensor<f32>) -> tensor<2x5x17xf32> {
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 1, 3, 1>, window_strides = array<i64: 1, 2, 1>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x9x17xf32>, tensor<f32>) -> tensor<2x5x17xf32>
  return %0 : tensor<2x5x17xf32>
}
//--- dilated.mlir
func.func @main(%x: tensor<4x5xf32>) -> tensor<5x9xf32> {
  %init = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 2, 2>, base_dilations = array<i64: 2, 3>, window_dilations = array<i64: 2, 1>, padding = dense<[[0, 0], [-2, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.multiply %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4x5xf32>, tensor<f32>) -> tensor<5x9xf32>
  return %0 : tensor<5x9xf32>
}
//--- largest.mlir
func.func @main(%x: tensor<1x8x8x5xf32>) -> tensor<1x4x4x5xf32> {
  %init = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %init) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [0, 1], [1, 0], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x8x8x5xf32>, tensor<f32>) -> tensor<1x4x4x5xf32>
  return %0 : tensor<1x4x4x5xf32>
}
//--- two-operands.mlir
func.func @main(%x: tensor<6x5xf32>) -> (tensor<6x3xf32>, tensor<6x3xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %none = stablehlo.constant dense<-1> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<6x5xi32>
  %0:2 = "stablehlo.reduce_window"(%x, %i, %low, %none) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %ai: tensor<i32>, %b: tensor<f32>, %bi: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %v = stablehlo.select %c, %a, %b : tensor<i1>, tensor<f32>
    %vi = stablehlo.select %c, %ai, %bi : tensor<i1>, tensor<i32>
    stablehlo.return %v, %vi : tensor<f32>, tensor<i32>
  }) : (tensor<6x5xf32>, tensor<6x5xi32>, tensor<f32>, tensor<i32>) -> (tensor<6x3xf32>, tensor<6x3xi32>)
  return %0#0, %0#1 : tensor<6x3xf32>, tensor<6x3xi32>
}
//--- last-dimension.mlir
// Lanes along the windowed dimension: more than four vectors and a rest, strides, dilation, pads wider than a vector, cropping, bytes.
func.func @main(%x: tensor<3x5x70xf32>, %y: tensor<2x41xi8>, %z: tensor<4x9xi1>, %w: tensor<2x40xf32>)
    -> (tensor<3x5x70xf32>, tensor<3x3x23xf32>, tensor<2x79xi8>, tensor<4x9xi1>, tensor<2x17xf32>) {
  %initf32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %initi8 = stablehlo.constant dense<-128> : tensor<i8>
  %initi1 = stablehlo.constant dense<false> : tensor<i1>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %initf32) <{window_dimensions = array<i64: 1, 3, 5>, padding = dense<[[0, 0], [1, 1], [2, 2]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x5x70xf32>
  %1 = "stablehlo.reduce_window"(%x, %initf32) <{window_dimensions = array<i64: 1, 3, 2>, window_strides = array<i64: 1, 2, 3>, window_dilations = array<i64: 1, 1, 3>, padding = dense<[[0, 0], [1, 1], [0, 0]]> : tensor<3x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<3x5x70xf32>, tensor<f32>) -> tensor<3x3x23xf32>
  %2 = "stablehlo.reduce_window"(%y, %initi8) <{window_dimensions = array<i64: 1, 3>, padding = dense<[[0, 0], [20, 20]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i8>, %b: tensor<i8>):
    %s = stablehlo.maximum %a, %b : tensor<i8>
    stablehlo.return %s : tensor<i8>
  }) : (tensor<2x41xi8>, tensor<i8>) -> tensor<2x79xi8>
  %3 = "stablehlo.reduce_window"(%z, %initi1) <{window_dimensions = array<i64: 2, 3>, padding = dense<[[1, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %s = stablehlo.or %a, %b : tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4x9xi1>, tensor<i1>) -> tensor<4x9xi1>
  %4 = "stablehlo.reduce_window"(%w, %zero) <{window_dimensions = array<i64: 1, 4>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [-2, -1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x40xf32>, tensor<f32>) -> tensor<2x17xf32>
  return %0, %1, %2, %3, %4 : tensor<3x5x70xf32>, tensor<3x3x23xf32>, tensor<2x79xi8>, tensor<4x9xi1>, tensor<2x17xf32>
}
//--- one-channel.mlir
func.func @main(%x: tensor<1x20x37x1xf32>) -> tensor<1x20x37x1xf32> {
  %initf32 = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %initf32) <{window_dimensions = array<i64: 1, 9, 9, 1>, padding = dense<[[0, 0], [4, 4], [4, 4], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.maximum %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x20x37x1xf32>, tensor<f32>) -> tensor<1x20x37x1xf32>
  return %0 : tensor<1x20x37x1xf32>
}
