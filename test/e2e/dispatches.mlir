// What fusion, views, packing and buffers do to numbers: nothing. Each program is compiled, run on made-up inputs and
// compared with the interpreter's result of the original.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare mlp.mlir
// RUN: heddle compare softmax.mlir
// RUN: heddle compare layer-norm.mlir
// RUN: heddle compare shared-heads.mlir
// RUN: heddle compare views.mlir
// RUN: heddle compare first-elements.mlir
// RUN: heddle compare updates.mlir
// RUN: heddle compare scatter.mlir
// RUN: heddle compare gather.mlir
// RUN: heddle compare pads.mlir
// RUN: heddle compare empty.mlir
// RUN: heddle compare returns.mlir
// RUN: heddle compare unsigned.mlir
// RUN: heddle compare convolution.mlir
// RUN: heddle compare constants.mlir
// RUN: heddle compare total-order.mlir
// RUN: heddle compare integer-power.mlir
// RUN: heddle compare slice-sum.mlir
// RUN: heddle compare complex-part.mlir
// RUN: heddle compare turned-triangle.mlir
// RUN: heddle compare repeated-side.mlir

//--- mlp.mlir
func.func @main(%x: tensor<5x37xf32>, %w: tensor<37x41xf32>, %b: tensor<41xf32>, %v: tensor<41x3xf32>) -> tensor<5x3xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<5x41xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<5x37xf32>, tensor<37x41xf32>) -> tensor<5x41xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<41xf32>) -> tensor<5x41xf32>
  %2 = stablehlo.add %0, %1 : tensor<5x41xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<5x41xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<5x41xf32>, tensor<41x3xf32>) -> tensor<5x3xf32>
  return %4 : tensor<5x3xf32>
}
//--- softmax.mlir
func.func @main(%x: tensor<1x7x33xf32>) -> tensor<1x7x33xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [2] : (tensor<1x7x33xf32>, tensor<f32>) -> tensor<1x7xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<1x7x33xf32>
  %d = stablehlo.subtract %x, %mb : tensor<1x7x33xf32>
  %e = stablehlo.exponential %d : tensor<1x7x33xf32>
  %s = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [2] : (tensor<1x7x33xf32>, tensor<f32>) -> tensor<1x7xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0, 1] : (tensor<1x7xf32>) -> tensor<1x7x33xf32>
  %q = stablehlo.divide %e, %sb : tensor<1x7x33xf32>
  return %q : tensor<1x7x33xf32>
}
//--- layer-norm.mlir
func.func @main(%a: tensor<9x50xf32>, %r: tensor<9x50xf32>, %g: tensor<50xf32>) -> (tensor<9x50xf32>, tensor<9x50xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<50.0> : tensor<9xf32>
  %eps = stablehlo.constant dense<1.0e-5> : tensor<9xf32>
  %x = stablehlo.add %a, %r : tensor<9x50xf32>
  %s = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x50xf32>, tensor<f32>) -> tensor<9xf32>
  %m = stablehlo.divide %s, %n : tensor<9xf32>
  %mb = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<9xf32>) -> tensor<9x50xf32>
  %d = stablehlo.subtract %x, %mb : tensor<9x50xf32>
  %d2 = stablehlo.multiply %d, %d : tensor<9x50xf32>
  %v = stablehlo.reduce(%d2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<9x50xf32>, tensor<f32>) -> tensor<9xf32>
  %vn = stablehlo.divide %v, %n : tensor<9xf32>
  %ve = stablehlo.add %vn, %eps : tensor<9xf32>
  %i = stablehlo.rsqrt %ve : tensor<9xf32>
  %ib = stablehlo.broadcast_in_dim %i, dims = [0] : (tensor<9xf32>) -> tensor<9x50xf32>
  %gb = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<50xf32>) -> tensor<9x50xf32>
  %y = stablehlo.multiply %d, %ib : tensor<9x50xf32>
  %z = stablehlo.multiply %y, %gb : tensor<9x50xf32>
  return %z, %x : tensor<9x50xf32>, tensor<9x50xf32>
}
//--- shared-heads.mlir
func.func @main(%q: tensor<8x5x16xf32>, %k: tensor<4x7x16xf32>) -> tensor<8x5x7xf32> {
  %0 = stablehlo.broadcast_in_dim %k, dims = [0, 2, 3] : (tensor<4x7x16xf32>) -> tensor<4x2x7x16xf32>
  %1 = stablehlo.reshape %0 : (tensor<4x2x7x16xf32>) -> tensor<8x7x16xf32>
  %2 = stablehlo.dot_general %q, %1, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<8x5x16xf32>, tensor<8x7x16xf32>) -> tensor<8x5x7xf32>
  return %2 : tensor<8x5x7xf32>
}
//--- views.mlir
func.func @main(%x: tensor<6x40xf32>) -> (tensor<4x3x2xf32>, tensor<3x6xf32>) {
  %0 = stablehlo.slice %x [0:6, 0:24:3] : (tensor<6x40xf32>) -> tensor<6x8xf32>
  %1 = stablehlo.slice %0 [0:6, 0:4] : (tensor<6x8xf32>) -> tensor<6x4xf32>
  %2 = stablehlo.reshape %1 : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %3 = stablehlo.transpose %2, dims = [2, 0, 1] : (tensor<3x2x4xf32>) -> tensor<4x3x2xf32>
  %4 = stablehlo.reverse %3, dims = [0, 2] : tensor<4x3x2xf32>
  %5 = stablehlo.negate %4 : tensor<4x3x2xf32>
  %6 = stablehlo.slice %x [1:4, 30:36] : (tensor<6x40xf32>) -> tensor<3x6xf32>
  %7 = stablehlo.exponential %6 : tensor<3x6xf32>
  return %5, %7 : tensor<4x3x2xf32>, tensor<3x6xf32>
}
//--- first-elements.mlir
func.func @main(%x: tensor<50xf32>, %y: tensor<3xf32>) -> (tensor<17xf32>, tensor<1xf32>, tensor<f32>) {
  %0 = stablehlo.slice %x [0:17] : (tensor<50xf32>) -> tensor<17xf32>
  %1 = stablehlo.negate %0 : tensor<17xf32>
  %2 = stablehlo.slice %y [0:1] : (tensor<3xf32>) -> tensor<1xf32>
  %3 = stablehlo.slice %x [49:50] : (tensor<50xf32>) -> tensor<1xf32>
  %4 = stablehlo.add %2, %3 : tensor<1xf32>
  %5 = stablehlo.reshape %4 : (tensor<1xf32>) -> tensor<f32>
  return %1, %4, %5 : tensor<17xf32>, tensor<1xf32>, tensor<f32>
}
//--- updates.mlir
func.func @main(%cache: tensor<16x8xf32>, %row: tensor<1x8xf32>, %i: tensor<i32>) -> (tensor<16x8xf32>, tensor<16x8xf32>, tensor<2x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %far = stablehlo.constant dense<1000> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %cache, %row, %i, %zero : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %1 = stablehlo.dynamic_update_slice %0, %row, %far, %far : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %2 = stablehlo.dynamic_slice %1, %far, %zero, sizes = [2, 8] : (tensor<16x8xf32>, tensor<i32>, tensor<i32>) -> tensor<2x8xf32>
  return %0, %1, %2 : tensor<16x8xf32>, tensor<16x8xf32>, tensor<2x8xf32>
}
//--- scatter.mlir
func.func @main(%x: tensor<10x4xf32>, %i: tensor<6x1xi32>, %u: tensor<6x4xf32>) -> (tensor<10x4xf32>, tensor<10x4xf32>) {
  %0 = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}
    : (tensor<10x4xf32>, tensor<6x1xi32>, tensor<6x4xf32>) -> tensor<10x4xf32>
  %1 = stablehlo.multiply %x, %0 : tensor<10x4xf32>
  return %0, %1 : tensor<10x4xf32>, tensor<10x4xf32>
}
//--- gather.mlir
func.func @main(%table: tensor<11x5xf32>, %ids: tensor<2x3xi64>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = "stablehlo.gather"(%table, %ids) {
    dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>,
    slice_sizes = array<i64: 1, 5>} : (tensor<11x5xf32>, tensor<2x3xi64>) -> tensor<2x3x5xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [2] : (tensor<5xf32>) -> tensor<2x3x5xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}
//--- pads.mlir
func.func @main(%x: tensor<3x5xf32>, %p: tensor<f32>) -> (tensor<6x8xf32>, tensor<6x8xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.pad %x, %p, low = [1, -1], high = [0, 1], interior = [1, 1] : (tensor<3x5xf32>, tensor<f32>) -> tensor<6x9xf32>
  %1 = stablehlo.slice %0 [0:6, 0:8] : (tensor<6x9xf32>) -> tensor<6x8xf32>
  %2 = stablehlo.pad %x, %zero, low = [2, 1], high = [1, 2], interior = [0, 0] : (tensor<3x5xf32>, tensor<f32>) -> tensor<6x8xf32>
  return %1, %2 : tensor<6x8xf32>, tensor<6x8xf32>
}
//--- empty.mlir
func.func @main(%x: tensor<0x4xf32>, %y: tensor<3x4xf32>) -> (tensor<0x4xf32>, tensor<3x4xf32>, tensor<4xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.negate %x : tensor<0x4xf32>
  %1 = stablehlo.concatenate %x, %y, dim = 0 : (tensor<0x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<0x4xf32>, tensor<f32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<0x4xf32>, tensor<3x4xf32>, tensor<4xf32>
}
//--- returns.mlir
func.func @main(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<12xf32>, tensor<12xf32>, tensor<2xf32>) {
  %c = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = stablehlo.negate %x : tensor<3x4xf32>
  %1 = stablehlo.reshape %0 : (tensor<3x4xf32>) -> tensor<12xf32>
  return %x, %1, %1, %c : tensor<3x4xf32>, tensor<12xf32>, tensor<12xf32>, tensor<2xf32>
}
//--- unsigned.mlir
func.func @main(%x: tensor<9xui8>, %y: tensor<9xui8>) -> (tensor<9xi1>, tensor<9xui8>, tensor<9xf32>) {
  %c = stablehlo.constant dense<[250, 3, 128, 127, 1, 2, 255, 9, 7]> : tensor<9xui8>
  %0 = stablehlo.compare LT, %x, %c : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xi1>
  %1 = stablehlo.divide %c, %y : tensor<9xui8>
  %2 = stablehlo.convert %c : (tensor<9xui8>) -> tensor<9xf32>
  return %0, %1, %2 : tensor<9xi1>, tensor<9xui8>, tensor<9xf32>
}
//--- convolution.mlir
func.func @main(%x: tensor<2x9x9x6xf32>, %w: tensor<3x3x3x10xf32>, %b: tensor<10xf32>) -> tensor<2x5x4x10xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [-1, 1]]}
    {feature_group_count = 2 : i64, batch_group_count = 1 : i64} : (tensor<2x9x9x6xf32>, tensor<3x3x3x10xf32>) -> tensor<2x5x4x10xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [3] : (tensor<10xf32>) -> tensor<2x5x4x10xf32>
  %2 = stablehlo.add %0, %1 : tensor<2x5x4x10xf32>
  return %2 : tensor<2x5x4x10xf32>
}
//--- constants.mlir
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x4xf32> {
  %w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [-1.0, 0.5, 0.25]]> : tensor<4x3xf32>
  %s = stablehlo.constant dense<[1.0, 0.5, 2.0, 4.0]> : tensor<4xf32>
  %sb = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<4xf32>) -> tensor<4x3xf32>
  %ws = stablehlo.multiply %w, %sb : tensor<4x3xf32>
  %t = stablehlo.transpose %ws, dims = [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %0 = stablehlo.dot_general %x, %t, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
//--- total-order.mlir
func.func @main(%x: tensor<6xf32>) -> tensor<6xi1> {
  %c = stablehlo.constant dense<[0.0, -0.0, 0x7FC00000, 0xFFC00000, 0x7F800000, 0xFF800000]> : tensor<6xf32>
  %r = stablehlo.reverse %c, dims = [0] : tensor<6xf32>
  %z = stablehlo.multiply %x, %r : tensor<6xf32>
  %0 = stablehlo.compare LT, %c, %z, TOTALORDER : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xi1>
  return %0 : tensor<6xi1>
}
//--- integer-power.mlir
// Wrap-around, negative exponents and bases of 1 and -1.
func.func @main(%x: tensor<41xi32>, %e: tensor<41xi32>) -> (tensor<41xi32>, tensor<12xi32>, tensor<4xui8>) {
  %three = stablehlo.constant dense<3> : tensor<41xi32>
  %base = stablehlo.subtract %x, %three : tensor<41xi32>
  %0 = stablehlo.power %base, %e : tensor<41xi32>
  %bases = stablehlo.constant dense<[1, 1, -1, -1, -1, 2, -3, 7, 0, 0, 5, -2147483648]> : tensor<12xi32>
  %exponents = stablehlo.constant dense<[-5, 9, -5, -4, 7, -1, -2, 40, 0, 6, 0, 3]> : tensor<12xi32>
  %1 = stablehlo.power %bases, %exponents : tensor<12xi32>
  %small = stablehlo.constant dense<[2, 3, 16, 255]> : tensor<4xui8>
  %2 = stablehlo.power %small, %small : tensor<4xui8>
  return %0, %1, %2 : tensor<41xi32>, tensor<12xi32>, tensor<4xui8>
}

//--- slice-sum.mlir
func.func @main(%a: tensor<128x9xi32>) -> tensor<128xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.slice %a [0:128, 0:8] : (tensor<128x9xi32>) -> tensor<128x8xi32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<128x8xi32>, tensor<i32>) -> tensor<128xi32>
  return %1 : tensor<128xi32>
}

//--- complex-part.mlir
func.func @main(%a: tensor<complex<f32>>, %b: tensor<1x3xf32>) -> tensor<3xf32> {
  %0 = stablehlo.imag %a : (tensor<complex<f32>>) -> tensor<f32>
  %1 = stablehlo.reshape %0 : (tensor<f32>) -> tensor<1xf32>
  %2 = stablehlo.dot_general %1, %b, contracting_dims = [0] x [0] : (tensor<1xf32>, tensor<1x3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// The triangle asks for its row and column, the convolution has its loops in another order.
//--- turned-triangle.mlir
func.func @main(%a: tensor<2x9x9x4xf32>, %b: tensor<3x3x4x8xf32>) -> tensor<2x8x9x9xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<2x8x9x9xf32>
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x9x9x4xf32>, tensor<3x3x4x8xf32>) -> tensor<2x9x9x8xf32>
  %1 = stablehlo.transpose %0, dims = [0, 3, 1, 2] : (tensor<2x9x9x8xf32>) -> tensor<2x8x9x9xf32>
  %row = stablehlo.iota dim = 2 : tensor<2x8x9x9xi32>
  %column = stablehlo.iota dim = 3 : tensor<2x8x9x9xi32>
  %lower = stablehlo.compare GE, %row, %column : (tensor<2x8x9x9xi32>, tensor<2x8x9x9xi32>) -> tensor<2x8x9x9xi1>
  %2 = stablehlo.select %lower, %1, %zero : tensor<2x8x9x9xi1>, tensor<2x8x9x9xf32>
  return %2 : tensor<2x8x9x9xf32>
}

//--- repeated-side.mlir
func.func @main(%a: tensor<3xf32>, %b: tensor<2x3xf32>) -> tensor<9x3x3xf32> {
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<3xf32>) -> tensor<9x3x2xf32>
  %1 = stablehlo.dot_general %0, %b, contracting_dims = [2] x [0] : (tensor<9x3x2xf32>, tensor<2x3xf32>) -> tensor<9x3x3xf32>
  return %1 : tensor<9x3x3xf32>
}
