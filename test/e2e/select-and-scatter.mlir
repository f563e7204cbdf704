// Gradients of pooling, compiled against interpreted: windows that overlap, leave gaps, lie in the padding.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare overlap.mlir
// RUN: heddle compare padded.mlir
// RUN: heddle compare gaps.mlir
// RUN: heddle compare channels-first.mlir
// RUN: heddle compare start.mlir
// RUN: heddle compare unsigned.mlir
// RUN: heddle compare computed-start.mlir
// RUN: heddle compare empty-source.mlir
// RUN: heddle compare one-place.mlir

//--- overlap.mlir
func.func @main(%x: tensor<1x9x7x5xf32>, %g: tensor<1x4x3x5xf32>) -> tensor<1x9x7x5xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x9x7x5xf32>, tensor<1x4x3x5xf32>, tensor<f32>) -> tensor<1x9x7x5xf32>
  return %0 : tensor<1x9x7x5xf32>
}
//--- padded.mlir
func.func @main(%x: tensor<2x8x9x17xf32>, %g: tensor<2x4x5x17xf32>) -> tensor<2x8x9x17xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], [1, 0], [1, 1], [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x8x9x17xf32>, tensor<2x4x5x17xf32>, tensor<f32>) -> tensor<2x8x9x17xf32>
  return %0 : tensor<2x8x9x17xf32>
}
//--- gaps.mlir
func.func @main(%x: tensor<3x11xi32>, %g: tensor<3x3xi32>) -> tensor<3x11xi32> {
  %init = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 4>, padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare LT, %a, %b, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) : (tensor<3x11xi32>, tensor<3x3xi32>, tensor<i32>) -> tensor<3x11xi32>
  return %0 : tensor<3x11xi32>
}
//--- channels-first.mlir
func.func @main(%x: tensor<1x3x12x13xf32>, %g: tensor<1x3x6x6xf32>) -> tensor<1x3x12x13xf32> {
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 1, 1, 2, 3>, window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x3x12x13xf32>, tensor<1x3x6x6xf32>, tensor<f32>) -> tensor<1x3x12x13xf32>
  return %0 : tensor<1x3x12x13xf32>
}
//--- start.mlir
func.func @main(%x: tensor<6xbf16>, %g: tensor<3xbf16>) -> tensor<6xbf16> {
  %init = stablehlo.constant dense<3.0> : tensor<bf16>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 4>, window_strides = array<i64: 1>}> ({
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<bf16>, tensor<bf16>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<bf16>, %b: tensor<bf16>):
    %s = stablehlo.add %a, %b : tensor<bf16>
    stablehlo.return %s : tensor<bf16>
  }) : (tensor<6xbf16>, tensor<3xbf16>, tensor<bf16>) -> tensor<6xbf16>
  return %0 : tensor<6xbf16>
}
//--- unsigned.mlir
func.func @main(%x: tensor<4x4xui8>, %g: tensor<2x2xui8>) -> tensor<4x4xui8> {
  %init = stablehlo.constant dense<0> : tensor<ui8>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> ({
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %c = stablehlo.compare LE, %a, %b, UNSIGNED : (tensor<ui8>, tensor<ui8>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<ui8>, %b: tensor<ui8>):
    %s = stablehlo.add %a, %b : tensor<ui8>
    stablehlo.return %s : tensor<ui8>
  }) : (tensor<4x4xui8>, tensor<2x2xui8>, tensor<ui8>) -> tensor<4x4xui8>
  return %0 : tensor<4x4xui8>
}
//--- computed-start.mlir
func.func @main(%init: tensor<f32>, %x: tensor<5x5xf32>, %g: tensor<3x3xf32>) -> tensor<5x5xf32> {
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 3, 3>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<5x5xf32>, tensor<3x3xf32>, tensor<f32>) -> tensor<5x5xf32>
  return %0 : tensor<5x5xf32>
}
//--- empty-source.mlir
func.func @main(%x: tensor<2x5xf32>, %g: tensor<2x0xf32>) -> tensor<2x5xf32> {
  %init = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %init) <{window_dimensions = array<i64: 1, 6>, window_strides = array<i64: 1, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2x5xf32>, tensor<2x0xf32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
//--- one-place.mlir
func.func @main(%x: tensor<1xi64>, %g: tensor<1xi64>, %y: tensor<f32>, %h: tensor<f32>) -> (tensor<1xi64>, tensor<f32>) {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %init = stablehlo.constant dense<2.0> : tensor<f32>
  %0 = "stablehlo.select_and_scatter"(%x, %g, %zero) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 2>}> ({
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %c = stablehlo.compare GT, %a, %b : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %s = stablehlo.add %a, %b : tensor<i64>
    stablehlo.return %s : tensor<i64>
  }) : (tensor<1xi64>, tensor<1xi64>, tensor<i64>) -> tensor<1xi64>
  %1 = "stablehlo.select_and_scatter"(%y, %h, %init) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<1xi64>, tensor<f32>
}
