// RUN: heddle test --interpret %s | FileCheck %s
// RUN: heddle test %s | FileCheck %s
// CHECK: 1 passed, 0 failed

func.func @sums() {
  %x = stablehlo.constant dense<[[1, 2], [3, 4], [5, 6]]> : tensor<3x2xi32>
  %zero = stablehlo.constant dense<0> : tensor<2xi32>
  %0:2 = chlo.scan(%x) inits (%zero) dimension=0 {
  ^bb0(%slice: tensor<2xi32>, %carry: tensor<2xi32>):
    %1 = stablehlo.add %slice, %carry : tensor<2xi32>
    stablehlo.return %1, %1 : tensor<2xi32>, tensor<2xi32>
  } : (tensor<3x2xi32>, tensor<2xi32>) -> (tensor<3x2xi32>, tensor<2xi32>)
  check.expect_eq_const %0#0, dense<[[1, 2], [4, 6], [9, 12]]> : tensor<3x2xi32>
  check.expect_eq_const %0#1, dense<[9, 12]> : tensor<2xi32>
  // From the end, along the other dimension.
  %start = stablehlo.constant dense<0> : tensor<3xi32>
  %2:2 = chlo.scan(%x) inits (%start) dimension=1 attributes {is_reverse = true} {
  ^bb0(%slice: tensor<3xi32>, %carry: tensor<3xi32>):
    %1 = stablehlo.add %slice, %carry : tensor<3xi32>
    stablehlo.return %1, %1 : tensor<3xi32>, tensor<3xi32>
  } : (tensor<3x2xi32>, tensor<3xi32>) -> (tensor<3x2xi32>, tensor<3xi32>)
  check.expect_eq_const %2#0, dense<[[3, 2], [7, 4], [11, 6]]> : tensor<3x2xi32>
  return
}

// A count in place of inputs.
func.func @powers() {
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = chlo.scan() inits (%one) dimension=0 attributes {scan_dim_size = 4 : i64} {
  ^bb0(%carry: tensor<i32>):
    %1 = stablehlo.add %carry, %carry : tensor<i32>
    stablehlo.return %carry, %1 : tensor<i32>, tensor<i32>
  } : (tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
  check.expect_eq_const %0#0, dense<[1, 2, 4, 8]> : tensor<4xi32>
  check.expect_eq_const %0#1, dense<16> : tensor<i32>
  return
}

func.func @ragged() {
  %sizes = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
  %lhs = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %rhs = stablehlo.constant dense<[[[1.0], [10.0]], [[100.0], [1000.0]]]> : tensor<2x2x1xf32>
  // Rows of both groups, and one that is in none.
  %rows = "chlo.ragged_dot"(%lhs, %rhs, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}>
    : (tensor<4x2xf32>, tensor<2x2x1xf32>, tensor<2xi32>) -> tensor<4x1xf32>
  check.expect_eq_const %rows, dense<[[21.0], [4300.0], [6500.0], [0.0]]> : tensor<4x1xf32>
  // Groups of summands: a product for each.
  %ones = stablehlo.constant dense<1.0> : tensor<4x1xf32>
  %sums = "chlo.ragged_dot"(%lhs, %ones, %sizes) <{
    ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>}>
    : (tensor<4x2xf32>, tensor<4x1xf32>, tensor<2xi32>) -> tensor<2x2x1xf32>
  check.expect_eq_const %sums, dense<[[[1.0], [2.0]], [[8.0], [10.0]]]> : tensor<2x2x1xf32>
  return
}
