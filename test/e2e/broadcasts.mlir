// CHLO's operations that broadcast, against StableHLO's on operands that were made equal by hand; and those that need no operation of their own.
// RUN: heddle test %s | FileCheck %s
// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped
func.func @main() {
  %row = stablehlo.constant dense<[1.5, -2.0, 0.5]> : tensor<3xf32>
  %column = stablehlo.constant dense<[[4.0], [3.0]]> : tensor<2x1xf32>
  %rows = stablehlo.broadcast_in_dim %row, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
  %columns = stablehlo.broadcast_in_dim %column, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x3xf32>
  %add0 = chlo.broadcast_add %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %add1 = stablehlo.add %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%add0, %add1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %atan20 = chlo.broadcast_atan2 %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %atan21 = stablehlo.atan2 %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%atan20, %atan21) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %divide0 = chlo.broadcast_divide %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %divide1 = stablehlo.divide %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%divide0, %divide1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %maximum0 = chlo.broadcast_maximum %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %maximum1 = stablehlo.maximum %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%maximum0, %maximum1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %minimum0 = chlo.broadcast_minimum %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %minimum1 = stablehlo.minimum %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%minimum0, %minimum1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %multiply0 = chlo.broadcast_multiply %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %multiply1 = stablehlo.multiply %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%multiply0, %multiply1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %power0 = chlo.broadcast_power %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %power1 = stablehlo.power %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%power0, %power1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %remainder0 = chlo.broadcast_remainder %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %remainder1 = stablehlo.remainder %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%remainder0, %remainder1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %subtract0 = chlo.broadcast_subtract %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %subtract1 = stablehlo.subtract %columns, %rows : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%subtract0, %subtract1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %next_after0 = chlo.broadcast_next_after %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %next_after1 = chlo.next_after %columns, %rows : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%next_after0, %next_after1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %zeta0 = chlo.broadcast_zeta %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %zeta1 = chlo.zeta %columns, %rows : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%zeta0, %zeta1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %polygamma0 = chlo.broadcast_polygamma %column, %row : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %polygamma1 = chlo.polygamma %columns, %rows : tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%polygamma0, %polygamma1) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

  %i = stablehlo.constant dense<[12, -7]> : tensor<2xi32>
  %one = stablehlo.constant dense<2> : tensor<i32>
  %ones = stablehlo.constant dense<2> : tensor<2xi32>
  %and0 = chlo.broadcast_and %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %and1 = stablehlo.and %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%and0, %and1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %or0 = chlo.broadcast_or %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %or1 = stablehlo.or %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%or0, %or1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %xor0 = chlo.broadcast_xor %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %xor1 = stablehlo.xor %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%xor0, %xor1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %shift_left0 = chlo.broadcast_shift_left %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %shift_left1 = stablehlo.shift_left %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%shift_left0, %shift_left1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %shift_right_arithmetic0 = chlo.broadcast_shift_right_arithmetic %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %shift_right_arithmetic1 = stablehlo.shift_right_arithmetic %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%shift_right_arithmetic0, %shift_right_arithmetic1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()
  %shift_right_logical0 = chlo.broadcast_shift_right_logical %i, %one : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %shift_right_logical1 = stablehlo.shift_right_logical %i, %ones : tensor<2xi32>
  stablehlo.custom_call @check.expect_eq(%shift_right_logical0, %shift_right_logical1) {has_side_effect = true} : (tensor<2xi32>, tensor<2xi32>) -> ()

  // Of a vector the first dimension, and not the last.
  %v = stablehlo.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %first = chlo.broadcast_add %v, %rows {broadcast_dimensions = array<i64: 0>} : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %sums = stablehlo.constant dense<[[11.5, 8.0, 10.5], [21.5, 18.0, 20.5]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%first, %sums) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()

  %less = chlo.broadcast_compare %row, %column {comparison_direction = #chlo<comparison_direction GE>, compare_type = #chlo<comparison_type FLOAT>}
    : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
  %never = stablehlo.constant dense<false> : tensor<2x3xi1>
  stablehlo.custom_call @check.expect_eq(%less, %never) {has_side_effect = true} : (tensor<2x3xi1>, tensor<2x3xi1>) -> ()
  %choice = stablehlo.constant dense<[[true], [false]]> : tensor<2x1xi1>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %chosen = chlo.broadcast_select %choice, %row, %half : (tensor<2x1xi1>, tensor<3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %halves = stablehlo.constant dense<[[1.5, -2.0, 0.5], [0.5, 0.5, 0.5]]> : tensor<2x3xf32>
  stablehlo.custom_call @check.expect_eq(%chosen, %halves) {has_side_effect = true} : (tensor<2x3xf32>, tensor<2x3xf32>) -> ()
  %z = chlo.broadcast_complex %v, %half : (tensor<2xf32>, tensor<f32>) -> tensor<2xcomplex<f32>>
  %numbers = stablehlo.constant dense<[(10.0, 0.5), (20.0, 0.5)]> : tensor<2xcomplex<f32>>
  stablehlo.custom_call @check.expect_eq(%z, %numbers) {has_side_effect = true} : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> ()

  %special = chlo.constant dense<[0x7F800000, 0xFF800000, 0x7FC00000, 1.0]> : tensor<4xf32>
  %either = chlo.is_inf %special : tensor<4xf32> -> tensor<4xi1>
  %plus = chlo.is_pos_inf %special : tensor<4xf32> -> tensor<4xi1>
  %minus = chlo.is_neg_inf %special : tensor<4xf32> -> tensor<4xi1>
  %either_wanted = stablehlo.constant dense<[true, true, false, false]> : tensor<4xi1>
  %plus_wanted = stablehlo.constant dense<[true, false, false, false]> : tensor<4xi1>
  %minus_wanted = stablehlo.constant dense<[false, true, false, false]> : tensor<4xi1>
  stablehlo.custom_call @check.expect_eq(%either, %either_wanted) {has_side_effect = true} : (tensor<4xi1>, tensor<4xi1>) -> ()
  stablehlo.custom_call @check.expect_eq(%plus, %plus_wanted) {has_side_effect = true} : (tensor<4xi1>, tensor<4xi1>) -> ()
  stablehlo.custom_call @check.expect_eq(%minus, %minus_wanted) {has_side_effect = true} : (tensor<4xi1>, tensor<4xi1>) -> ()
  %like = "chlo.constant_like"(%either) {value = 7 : i16} : (tensor<4xi1>) -> tensor<4xi16>
  %sevens = stablehlo.constant dense<7> : tensor<4xi16>
  stablehlo.custom_call @check.expect_eq(%like, %sevens) {has_side_effect = true} : (tensor<4xi16>, tensor<4xi16>) -> ()
  return
}
