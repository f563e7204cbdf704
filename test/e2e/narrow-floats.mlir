// Floats of a byte, compiled against interpreted: every number of each format, a dense sweep of what is rounded to it,
// arithmetic by way of f32.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare f8e3m4.mlir
// RUN: heddle compare f8e4m3.mlir
// RUN: heddle compare f8e4m3fn.mlir
// RUN: heddle compare f8e4m3fnuz.mlir
// RUN: heddle compare f8e4m3b11fnuz.mlir
// RUN: heddle compare f8e5m2.mlir
// RUN: heddle compare f8e5m2fnuz.mlir
// RUN: heddle compare arithmetic.mlir

//--- f8e3m4.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E3M4>
  %decoded = stablehlo.convert %all : (tensor<256xf8E3M4>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E3M4>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E3M4>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E3M4>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E3M4>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E3M4>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E3M4>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e4m3.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3>
  %decoded = stablehlo.convert %all : (tensor<256xf8E4M3>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E4M3>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E4M3>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E4M3>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E4M3>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E4M3>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E4M3>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e4m3fn.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FN>
  %decoded = stablehlo.convert %all : (tensor<256xf8E4M3FN>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E4M3FN>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E4M3FN>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E4M3FN>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E4M3FN>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E4M3FN>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E4M3FN>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e4m3fnuz.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3FNUZ>
  %decoded = stablehlo.convert %all : (tensor<256xf8E4M3FNUZ>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E4M3FNUZ>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E4M3FNUZ>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E4M3FNUZ>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E4M3FNUZ>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E4M3FNUZ>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E4M3FNUZ>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e4m3b11fnuz.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E4M3B11FNUZ>
  %decoded = stablehlo.convert %all : (tensor<256xf8E4M3B11FNUZ>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E4M3B11FNUZ>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E4M3B11FNUZ>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E4M3B11FNUZ>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E4M3B11FNUZ>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E4M3B11FNUZ>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E4M3B11FNUZ>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e5m2.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2>
  %decoded = stablehlo.convert %all : (tensor<256xf8E5M2>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E5M2>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E5M2>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E5M2>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E5M2>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E5M2>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E5M2>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- f8e5m2fnuz.mlir
func.func @main(%x: tensor<ui8>, %low: tensor<ui32>, %d: tensor<99xf64>, %i: tensor<50xi32>) -> (tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>) {
  %codes = stablehlo.iota dim = 0 : tensor<256xui8>
  %offset = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<ui8>) -> tensor<256xui8>
  %bits = stablehlo.add %codes, %offset : tensor<256xui8>
  %all = stablehlo.bitcast_convert %bits : (tensor<256xui8>) -> tensor<256xf8E5M2FNUZ>
  %decoded = stablehlo.convert %all : (tensor<256xf8E5M2FNUZ>) -> tensor<256xf32>
  %upper = stablehlo.iota dim = 0 : tensor<65536xui32>
  %sixteen = stablehlo.constant dense<16> : tensor<65536xui32>
  %shifted = stablehlo.shift_left %upper, %sixteen : tensor<65536xui32>
  %lower = stablehlo.broadcast_in_dim %low, dims = [] : (tensor<ui32>) -> tensor<65536xui32>
  %words = stablehlo.or %shifted, %lower : tensor<65536xui32>
  %floats = stablehlo.bitcast_convert %words : (tensor<65536xui32>) -> tensor<65536xf32>
  %encoded = stablehlo.convert %floats : (tensor<65536xf32>) -> tensor<65536xf8E5M2FNUZ>
  %rounded = stablehlo.convert %encoded : (tensor<65536xf8E5M2FNUZ>) -> tensor<65536xf32>
  %doubles = stablehlo.convert %d : (tensor<99xf64>) -> tensor<99xf8E5M2FNUZ>
  %halves = stablehlo.convert %doubles : (tensor<99xf8E5M2FNUZ>) -> tensor<99xf16>
  %integers = stablehlo.convert %i : (tensor<50xi32>) -> tensor<50xf8E5M2FNUZ>
  %numbers = stablehlo.convert %integers : (tensor<50xf8E5M2FNUZ>) -> tensor<50xf32>
  return %decoded, %rounded, %halves, %numbers : tensor<256xf32>, tensor<65536xf32>, tensor<99xf16>, tensor<50xf32>
}
//--- arithmetic.mlir
func.func @main(%x: tensor<5x33xf32>, %y: tensor<33x4xf32>, %s: tensor<5x33xf32>) -> (tensor<5x33xf32>, tensor<5x4xf32>, tensor<5xf32>, tensor<5x33xi1>, tensor<5x33xf32>) {
  %a = stablehlo.convert %x : (tensor<5x33xf32>) -> tensor<5x33xf8E4M3FN>
  %b = stablehlo.convert %s : (tensor<5x33xf32>) -> tensor<5x33xf8E4M3FN>
  %w = stablehlo.constant dense<1.5> : tensor<5x33xf8E4M3FN>
  %k = stablehlo.convert %y : (tensor<33x4xf32>) -> tensor<33x4xf8E4M3FN>
  %low = stablehlo.constant dense<-448.0> : tensor<f8E4M3FN>
  %sum = stablehlo.add %a, %b : tensor<5x33xf8E4M3FN>
  %product = stablehlo.multiply %sum, %w : tensor<5x33xf8E4M3FN>
  %e = stablehlo.exponential %product : tensor<5x33xf8E4M3FN>
  %0 = stablehlo.convert %e : (tensor<5x33xf8E4M3FN>) -> tensor<5x33xf32>
  %1 = stablehlo.dot_general %a, %k, contracting_dims = [1] x [0] : (tensor<5x33xf8E4M3FN>, tensor<33x4xf8E4M3FN>) -> tensor<5x4xf32>
  %m = stablehlo.reduce(%a init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<5x33xf8E4M3FN>, tensor<f8E4M3FN>) -> tensor<5xf8E4M3FN>
  %2 = stablehlo.convert %m : (tensor<5xf8E4M3FN>) -> tensor<5xf32>
  %3 = stablehlo.compare LT, %a, %b, FLOAT : (tensor<5x33xf8E4M3FN>, tensor<5x33xf8E4M3FN>) -> tensor<5x33xi1>
  %sorted = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
  ^bb0(%l: tensor<f8E4M3FN>, %r: tensor<f8E4M3FN>):
    %c = stablehlo.compare LT, %l, %r, FLOAT : (tensor<f8E4M3FN>, tensor<f8E4M3FN>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<5x33xf8E4M3FN>) -> tensor<5x33xf8E4M3FN>
  %4 = stablehlo.convert %sorted : (tensor<5x33xf8E4M3FN>) -> tensor<5x33xf32>
  return %0, %1, %2, %3, %4 : tensor<5x33xf32>, tensor<5x4xf32>, tensor<5xf32>, tensor<5x33xi1>, tensor<5x33xf32>
}
