// Around an operation that has no kernel over true extents there is a border: what it reads is spread, what it gives is packed. Here are programs
// that random ones found wrong, or refused, behind the graph stage.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare complex.mlir && heddle compare first.mlir && heddle compare inner.mlir
// RUN: heddle compare features.mlir && heddle compare cut.mlir && heddle compare epilogue.mlir

// A complex argument that something over the bound reads, and a complex result of it.
//--- complex.mlir
func.func @main(%x: tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>) -> tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>
  %1 = stablehlo.multiply %0, %x : tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>
  return %1 : tensor<?x3xcomplex<f32>, #stablehlo.bounds<5, ?>>
}

// The first ones of the only dimension.
//--- first.mlir
func.func @main(%x: tensor<?x1xf32, #stablehlo.bounds<5, ?>>) -> tensor<2x1xf32> {
  %0 = stablehlo.slice %x [0:2, 0:1] : (tensor<?x1xf32, #stablehlo.bounds<5, ?>>) -> tensor<2x1xf32>
  return %0 : tensor<2x1xf32>
}

// A part of rows whose lengths calls choose.
//--- inner.mlir
func.func @main(%x: tensor<?x?xf32, #stablehlo.bounds<5, 6>>) -> tensor<2x3xf32> {
  %0 = stablehlo.slice %x [0:2, 0:3] : (tensor<?x?xf32, #stablehlo.bounds<5, 6>>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A batch norm of as many features as a call has.
//--- features.mlir
func.func @main(%x: tensor<4x?xf32, #stablehlo.bounds<?, 5>>, %s: tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<4x?xf32, #stablehlo.bounds<?, 5>> {
  %v = stablehlo.multiply %s, %s : tensor<?xf32, #stablehlo.bounds<5>>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %v) <{epsilon = 0.01 : f32, feature_index = 1 : i64}>
      : (tensor<4x?xf32, #stablehlo.bounds<?, 5>>, tensor<?xf32, #stablehlo.bounds<5>>, tensor<?xf32, #stablehlo.bounds<5>>, tensor<?xf32, #stablehlo.bounds<5>>, tensor<?xf32, #stablehlo.bounds<5>>)
      -> tensor<4x?xf32, #stablehlo.bounds<?, 5>>
  return %0 : tensor<4x?xf32, #stablehlo.bounds<?, 5>>
}

// More is cut off than there is: all that is left is padding.
//--- cut.mlir
func.func @main(%x: tensor<2x0x1xf32>, %w: tensor<1x1x3xf32>) -> tensor<2x1x3xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[-1, 2]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<2x0x1xf32>, tensor<1x1x3xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

// What follows a convolution over the bound is not computed with it.
//--- epilogue.mlir
func.func @main(%x: tensor<1x?x2xf32, #stablehlo.bounds<?, 7, ?>>, %w: tensor<3x2x4xf32>) -> tensor<1x?x4xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {pad = [[1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
      : (tensor<1x?x2xf32, #stablehlo.bounds<?, 7, ?>>, tensor<3x2x4xf32>) -> tensor<1x?x4xf32>
  %1 = stablehlo.tanh %0 : tensor<1x?x4xf32>
  return %1 : tensor<1x?x4xf32>
}
