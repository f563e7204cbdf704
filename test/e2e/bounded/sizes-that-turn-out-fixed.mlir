// A size that is an expression of others may be the same for all of them: forms that take sizes as operands have then none that calls choose.

// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: heddle compare -q reshape.mlir && heddle compare -q slice.mlir && heddle compare -q broadcast.mlir

// One window at every size of the argument.
//--- reshape.mlir
func.func @main(%x: tensor<?xi32, #stablehlo.bounds<2>>) -> tensor<?x1xi32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1>, window_strides = array<i64: 3>, padding = dense<[[1, 0]]> : tensor<1x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<?xi32, #stablehlo.bounds<2>>, tensor<i32>) -> tensor<?xi32, #stablehlo.bounds<1>>
  %1 = stablehlo.get_dimension_size %0, dim = 0 : (tensor<?xi32, #stablehlo.bounds<1>>) -> tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %3 = stablehlo.concatenate %2, %one, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %4 = stablehlo.dynamic_reshape %0, %3 : (tensor<?xi32, #stablehlo.bounds<1>>, tensor<2xi32>) -> tensor<?x1xi32>
  return %4 : tensor<?x1xi32>
}

//--- slice.mlir
func.func @main(%x: tensor<2x?xi32, #stablehlo.bounds<?, 2>>) -> tensor<1x?xi32, #stablehlo.bounds<?, 1>> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 3>, padding = dense<[[0, 0], [1, 0]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %sum = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %sum : tensor<i32>
  }) : (tensor<2x?xi32, #stablehlo.bounds<?, 2>>, tensor<i32>) -> tensor<2x?xi32, #stablehlo.bounds<?, 1>>
  %1 = stablehlo.get_dimension_size %0, dim = 1 : (tensor<2x?xi32, #stablehlo.bounds<?, 1>>) -> tensor<i32>
  %2 = stablehlo.reshape %1 : (tensor<i32>) -> tensor<1xi32>
  %one = stablehlo.constant dense<1> : tensor<1xi32>
  %end = stablehlo.concatenate %one, %2, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %start = stablehlo.constant dense<0> : tensor<2xi32>
  %stride = stablehlo.constant dense<1> : tensor<2xi32>
  %3 = stablehlo.real_dynamic_slice %0, %start, %end, %stride : (tensor<2x?xi32, #stablehlo.bounds<?, 1>>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x?xi32, #stablehlo.bounds<?, 1>>
  return %3 : tensor<1x?xi32, #stablehlo.bounds<?, 1>>
}

// What is broadcast has no open size, what it comes from has.
//--- broadcast.mlir
func.func @main(%x: tensor<?x2xf32, #stablehlo.bounds<3, ?>>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %x, batching_dims = [1] x [1], contracting_dims = [0] x [0] : (tensor<?x2xf32, #stablehlo.bounds<3, ?>>, tensor<?x2xf32, #stablehlo.bounds<3, ?>>) -> tensor<2xf32>
  %1 = stablehlo.reshape %0 : (tensor<2xf32>) -> tensor<2x1xf32>
  %2 = chlo.broadcast_subtract %1, %0 : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
