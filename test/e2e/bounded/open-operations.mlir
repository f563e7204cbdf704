// Operations whose results' sizes are open in their types.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare strides.mlir && heddle compare window.mlir
// RUN: heddle compare broadcast.mlir && heddle compare bounded-broadcast.mlir
// RUN: heddle compare known-calls.mlir && heddle compare known-calls.mlir --shape arg0=5x4

// More strides and dilations than there are spatial dimensions, as JAX wrote them: the first count.
//--- strides.mlir
func.func @main(%x: tensor<1x6x1xf32>, %w: tensor<3x1x1xf32>) -> tensor<1x2x1xf32> {
  %amounts = stablehlo.constant dense<0> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %amounts) {window_strides = array<i64: 2, 7>, rhs_dilation = array<i64: 1, 3>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x6x1xf32>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x2x1xf32>
  return %0 : tensor<1x2x1xf32>
}

//--- window.mlir
func.func @main(%x: tensor<1x?x1xf32, #stablehlo.bounds<?, 6, ?>>, %w: tensor<3x1x1xf32>) -> tensor<1x?x1xf32> {
  %amounts = stablehlo.constant dense<1> : tensor<1x2xi32>
  %0 = "stablehlo.dynamic_conv"(%x, %w, %amounts) {window_strides = array<i64: 1, 7>, dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64, batch_group_count = 1 : i64} : (tensor<1x?x1xf32, #stablehlo.bounds<?, 6, ?>>, tensor<3x1x1xf32>, tensor<1x2xi32>) -> tensor<1x?x1xf32>
  return %0 : tensor<1x?x1xf32>
}

// What CHLO broadcasts has the size that its operands say.
//--- broadcast.mlir
func.func @main(%x: tensor<6x1xf32>, %y: tensor<10xf32>) -> tensor<?x?xf32> {
  %s = stablehlo.constant dense<[2, 5]> : tensor<2xi32>
  %0 = stablehlo.dynamic_reshape %y, %s : (tensor<10xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %t = stablehlo.constant dense<[3, 2, 1]> : tensor<3xi32>
  %1 = stablehlo.dynamic_reshape %x, %t : (tensor<6x1xf32>, tensor<3xi32>) -> tensor<?x?x1xf32>
  %2 = chlo.broadcast_add %1, %0 : (tensor<?x?x1xf32>, tensor<?x?xf32>) -> tensor<?x?x?xf32>
  %u = stablehlo.constant dense<[6, 5]> : tensor<2xi32>
  %3 = stablehlo.dynamic_reshape %2, %u : (tensor<?x?x?xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  return %3 : tensor<?x?xf32>
}

//--- bounded-broadcast.mlir
func.func @main(%x: tensor<?x1xf32, #stablehlo.bounds<6, ?>>, %y: tensor<?xf32, #stablehlo.bounds<5>>, %z: tensor<4xf32>) -> (tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x4xf32>, tensor<?xi1>, tensor<?xf32, #stablehlo.bounds<5>>) {
  %0 = chlo.broadcast_add %x, %y : (tensor<?x1xf32, #stablehlo.bounds<6, ?>>, tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<?x?xf32>
  %1 = chlo.broadcast_compare %0, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<?x?xf32>, tensor<?xf32, #stablehlo.bounds<5>>) -> tensor<?x?xi1>
  %2 = chlo.broadcast_multiply %x, %z : (tensor<?x1xf32, #stablehlo.bounds<6, ?>>, tensor<4xf32>) -> tensor<?x4xf32>
  %3 = chlo.is_inf %y : tensor<?xf32, #stablehlo.bounds<5>> -> tensor<?xi1>
  %4 = chlo.erf %y : tensor<?xf32, #stablehlo.bounds<5>> -> tensor<?xf32, #stablehlo.bounds<5>>
  return %0, %1, %2, %3, %4 : tensor<?x?xf32>, tensor<?x?xi1>, tensor<?x4xf32>, tensor<?xi1>, tensor<?xf32, #stablehlo.bounds<5>>
}

// Annotations, and functions of each element, keep the shape of their operand.
//--- known-calls.mlir
func.func @main(%x: tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32> {
  %0 = stablehlo.custom_call @LayoutConstraint(%x) : (tensor<?x4xf32, #stablehlo.bounds<8, ?>>) -> tensor<?x4xf32>
  %1 = stablehlo.custom_call @xla.sdy.PropagationBarrier(%0) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %2 = stablehlo.custom_call @mhlo.sinh(%1) : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}
