// A program for each family of kernels, of small odd shapes, for machines that an emulator stands for.
//--- add.mlir
func.func @main(%x: tensor<3x37xf32>, %y: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %0 = stablehlo.add %x, %y : tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
//--- functions.mlir
func.func @main(%x: tensor<37xf32>, %y: tensor<37xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) {
  %p = stablehlo.abs %x : tensor<37xf32>
  %0 = stablehlo.exponential %x : tensor<37xf32>
  %1 = stablehlo.log %p : tensor<37xf32>
  %2 = stablehlo.tanh %x : tensor<37xf32>
  %3 = stablehlo.sine %x : tensor<37xf32>
  %4 = stablehlo.cosine %x : tensor<37xf32>
  %5 = stablehlo.power %p, %y : tensor<37xf32>
  %6 = stablehlo.remainder %x, %y : tensor<37xf32>
  %7 = stablehlo.rsqrt %p : tensor<37xf32>
  %8 = stablehlo.divide %x, %y : tensor<37xf32>
  %9 = stablehlo.round_nearest_even %x : tensor<37xf32>
  %10 = stablehlo.atan2 %x, %y : tensor<37xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
}
//--- functions64.mlir
func.func @main(%x: tensor<19xf64>, %y: tensor<19xf64>) -> (tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>) {
  %p = stablehlo.abs %x : tensor<19xf64>
  %0 = stablehlo.exponential %x : tensor<19xf64>
  %1 = stablehlo.log %p : tensor<19xf64>
  %2 = stablehlo.tanh %x : tensor<19xf64>
  %3 = stablehlo.sine %x : tensor<19xf64>
  %4 = stablehlo.power %p, %y : tensor<19xf64>
  %5 = chlo.lgamma %x : tensor<19xf64> -> tensor<19xf64>
  return %0, %1, %2, %3, %4, %5 : tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>, tensor<19xf64>
}
//--- converts.mlir
func.func @main(%x: tensor<37xf32>, %i: tensor<37xi8>, %u: tensor<37xui16>) -> (tensor<37xf16>, tensor<37xf32>, tensor<37xi32>, tensor<37xf32>, tensor<37xf64>, tensor<37xi64>) {
  %0 = stablehlo.convert %x : (tensor<37xf32>) -> tensor<37xf16>
  %b = stablehlo.convert %x : (tensor<37xf32>) -> tensor<37xbf16>
  %1 = stablehlo.convert %b : (tensor<37xbf16>) -> tensor<37xf32>
  %2 = stablehlo.convert %x : (tensor<37xf32>) -> tensor<37xi32>
  %3 = stablehlo.convert %i : (tensor<37xi8>) -> tensor<37xf32>
  %4 = stablehlo.convert %u : (tensor<37xui16>) -> tensor<37xf64>
  %5 = stablehlo.convert %i : (tensor<37xi8>) -> tensor<37xi64>
  return %0, %1, %2, %3, %4, %5 : tensor<37xf16>, tensor<37xf32>, tensor<37xi32>, tensor<37xf32>, tensor<37xf64>, tensor<37xi64>
}
//--- integers.mlir
func.func @main(%x: tensor<37xi32>, %y: tensor<37xi32>, %s: tensor<37xi8>) -> (tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi8>, tensor<37xi1>) {
  %one = stablehlo.constant dense<1> : tensor<37xi32>
  %d = stablehlo.add %y, %one : tensor<37xi32>
  %0 = stablehlo.multiply %x, %y : tensor<37xi32>
  %1 = stablehlo.divide %x, %d : tensor<37xi32>
  %2 = stablehlo.remainder %x, %d : tensor<37xi32>
  %3 = stablehlo.shift_left %x, %y : tensor<37xi32>
  %4 = stablehlo.popcnt %s : tensor<37xi8>
  %5 = stablehlo.compare LT, %x, %y : (tensor<37xi32>, tensor<37xi32>) -> tensor<37xi1>
  return %0, %1, %2, %3, %4, %5 : tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi32>, tensor<37xi8>, tensor<37xi1>
}
//--- contractions.mlir
func.func @main(%x: tensor<7x19xf32>, %y: tensor<19x37xf32>, %d: tensor<5x9xf64>, %i: tensor<7x19xi8>) -> (tensor<7x37xf32>, tensor<7x33xf32>, tensor<5x5xf64>, tensor<7x7xi32>, tensor<7x37xf32>) {
  %w = stablehlo.constant dense<0.75> : tensor<19x33xf32>
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<7x19xf32>, tensor<19x37xf32>) -> tensor<7x37xf32>
  %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<7x19xf32>, tensor<19x33xf32>) -> tensor<7x33xf32>
  %2 = stablehlo.dot_general %d, %d, contracting_dims = [1] x [1] : (tensor<5x9xf64>, tensor<5x9xf64>) -> tensor<5x5xf64>
  %3 = stablehlo.dot_general %i, %i, contracting_dims = [1] x [1] : (tensor<7x19xi8>, tensor<7x19xi8>) -> tensor<7x7xi32>
  %bx = stablehlo.convert %x : (tensor<7x19xf32>) -> tensor<7x19xbf16>
  %by = stablehlo.convert %y : (tensor<19x37xf32>) -> tensor<19x37xbf16>
  %4 = stablehlo.dot_general %bx, %by, contracting_dims = [1] x [0] : (tensor<7x19xbf16>, tensor<19x37xbf16>) -> tensor<7x37xf32>
  return %0, %1, %2, %3, %4 : tensor<7x37xf32>, tensor<7x33xf32>, tensor<5x5xf64>, tensor<7x7xi32>, tensor<7x37xf32>
}
//--- deep.mlir
func.func @main(%x: tensor<3x300xf32>, %y: tensor<300x17xf32>) -> tensor<3x17xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<3x300xf32>, tensor<300x17xf32>) -> tensor<3x17xf32>
  return %0 : tensor<3x17xf32>
}
//--- convolutions.mlir
func.func @main(%x: tensor<1x9x8x5xf32>, %k: tensor<3x3x5x19xf32>, %d: tensor<3x3x1x5xf32>) -> (tensor<1x9x8x19xf32>, tensor<1x9x8x5xf32>) {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x9x8x5xf32>, tensor<3x3x5x19xf32>) -> tensor<1x9x8x19xf32>
  %1 = stablehlo.convolution(%x, %d) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 5 : i64} : (tensor<1x9x8x5xf32>, tensor<3x3x1x5xf32>) -> tensor<1x9x8x5xf32>
  return %0, %1 : tensor<1x9x8x19xf32>, tensor<1x9x8x5xf32>
}
//--- attention.mlir
func.func @main(%q: tensor<2x7x9xf32>, %k: tensor<2x21x9xf32>, %v: tensor<2x21x9xf32>) -> tensor<2x7x9xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<2x7x9xf32>, tensor<2x21x9xf32>) -> tensor<2x7x21xf32>
  %m = stablehlo.reduce(%s init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<2x7x21xf32>, tensor<f32>) -> tensor<2x7xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<2x7xf32>) -> tensor<2x7x21xf32>
  %c = stablehlo.subtract %s, %mb : tensor<2x7x21xf32>
  %e = stablehlo.exponential %c : tensor<2x7x21xf32>
  %t = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<2x7x21xf32>, tensor<f32>) -> tensor<2x7xf32>
  %tb = stablehlo.broadcast_in_dim %t, dims = [0, 1] : (tensor<2x7xf32>) -> tensor<2x7x21xf32>
  %p = stablehlo.divide %e, %tb : tensor<2x7x21xf32>
  %o = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x7x21xf32>, tensor<2x21x9xf32>) -> tensor<2x7x9xf32>
  return %o : tensor<2x7x9xf32>
}
//--- reductions.mlir
func.func @main(%x: tensor<7x37xf32>) -> (tensor<7xf32>, tensor<37xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<7x37xf32>, tensor<f32>) -> tensor<7xf32>
  %1 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [0] : (tensor<7x37xf32>, tensor<f32>) -> tensor<37xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<7x37xf32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2 : tensor<7xf32>, tensor<37xf32>, tensor<f32>
}
//--- data.mlir
func.func @main(%x: tensor<7x37xf32>, %i: tensor<i32>) -> (tensor<37x7xf32>, tensor<14x37xf32>, tensor<9x41xf32>, tensor<7x37xf32>, tensor<3x12xf32>) {
  %zero = stablehlo.constant dense<1.5> : tensor<f32>
  %part = stablehlo.slice %x [0:2, 0:5] : (tensor<7x37xf32>) -> tensor<2x5xf32>
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<7x37xf32>) -> tensor<37x7xf32>
  %1 = stablehlo.concatenate %x, %x, dim = 0 : (tensor<7x37xf32>, tensor<7x37xf32>) -> tensor<14x37xf32>
  %2 = stablehlo.pad %x, %zero, low = [1, 3], high = [1, 1], interior = [0, 0] : (tensor<7x37xf32>, tensor<f32>) -> tensor<9x41xf32>
  %3 = stablehlo.dynamic_update_slice %x, %part, %i, %i : (tensor<7x37xf32>, tensor<2x5xf32>, tensor<i32>, tensor<i32>) -> tensor<7x37xf32>
  %4 = stablehlo.slice %x [1:7:2, 0:36:3] : (tensor<7x37xf32>) -> tensor<3x12xf32>
  return %0, %1, %2, %3, %4 : tensor<37x7xf32>, tensor<14x37xf32>, tensor<9x41xf32>, tensor<7x37xf32>, tensor<3x12xf32>
}
//--- sort.mlir
func.func @main(%x: tensor<3x37xf32>) -> tensor<3x37xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<3x37xf32>) -> tensor<3x37xf32>
  return %0 : tensor<3x37xf32>
}
//--- routines.mlir
func.func @main(%x: tensor<9x9xf32>, %b: tensor<9x5xf32>, %c: tensor<3x20xcomplex<f32>>) -> (tensor<9x9xf32>, tensor<9x5xf32>, tensor<3x20xcomplex<f32>>) {
  %i = stablehlo.iota dim = 0 : tensor<9x9xi32>
  %j = stablehlo.iota dim = 1 : tensor<9x9xi32>
  %e = stablehlo.compare EQ, %i, %j : (tensor<9x9xi32>, tensor<9x9xi32>) -> tensor<9x9xi1>
  %f = stablehlo.convert %e : (tensor<9x9xi1>) -> tensor<9x9xf32>
  %s = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  %a = stablehlo.add %s, %f : tensor<9x9xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<9x9xf32>
  %1 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<9x9xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %2 = stablehlo.fft %c, type = FFT, length = [20] : (tensor<3x20xcomplex<f32>>) -> tensor<3x20xcomplex<f32>>
  return %0, %1, %2 : tensor<9x9xf32>, tensor<9x5xf32>, tensor<3x20xcomplex<f32>>
}
