// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @moves() {
  %x = stablehlo.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<2x3xi32>) -> tensor<3x2xi32>
  "check.expect_eq_const"(%t) {value = dense<[[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>} : (tensor<3x2xi32>) -> ()
  %r = stablehlo.reverse %x, dims = [1] : tensor<2x3xi32>
  "check.expect_eq_const"(%r) {value = dense<[[3, 2, 1], [6, 5, 4]]> : tensor<2x3xi32>} : (tensor<2x3xi32>) -> ()
  %s = stablehlo.slice %x [0:2, 0:3:2] : (tensor<2x3xi32>) -> tensor<2x2xi32>
  "check.expect_eq_const"(%s) {value = dense<[[1, 3], [4, 6]]> : tensor<2x2xi32>} : (tensor<2x2xi32>) -> ()
  %c = stablehlo.concatenate %t, %t, dim = 1 : (tensor<3x2xi32>, tensor<3x2xi32>) -> tensor<3x4xi32>
  "check.expect_eq_const"(%c) {value = dense<[[1, 4, 1, 4], [2, 5, 2, 5], [3, 6, 3, 6]]> : tensor<3x4xi32>} : (tensor<3x4xi32>) -> ()
  %b = stablehlo.broadcast_in_dim %s, dims = [1, 2] : (tensor<2x2xi32>) -> tensor<2x2x2xi32>
  "check.expect_eq_const"(%b) {value = dense<[[[1, 3], [4, 6]], [[1, 3], [4, 6]]]> : tensor<2x2x2xi32>} : (tensor<2x2x2xi32>) -> ()
  return
}

// -----

func.func @pads() {
  %x = stablehlo.constant dense<[1, 2, 3]> : tensor<3xi32>
  %v = stablehlo.constant dense<9> : tensor<i32>
  %p = stablehlo.pad %x, %v, low = [1], high = [2], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<8xi32>
  "check.expect_eq_const"(%p) {value = dense<[9, 1, 9, 2, 9, 3, 9, 9]> : tensor<8xi32>} : (tensor<8xi32>) -> ()
  // Negative padding cuts, also into the holes.
  %n = stablehlo.pad %x, %v, low = [-1], high = [-1], interior = [1] : (tensor<3xi32>, tensor<i32>) -> tensor<3xi32>
  "check.expect_eq_const"(%n) {value = dense<[9, 2, 9]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  %e = stablehlo.constant dense<> : tensor<0xi32>
  %f = stablehlo.pad %e, %v, low = [2], high = [0], interior = [3] : (tensor<0xi32>, tensor<i32>) -> tensor<2xi32>
  "check.expect_eq_const"(%f) {value = dense<9> : tensor<2xi32>} : (tensor<2xi32>) -> ()
  return
}

// -----

func.func @dynamic() {
  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi32>
  %i = stablehlo.dynamic_iota %shape, dim = 1 : (tensor<2xi32>) -> tensor<?x3xi32>
  %size = stablehlo.get_dimension_size %i, dim = 0 : (tensor<?x3xi32>) -> tensor<i32>
  "check.expect_eq_const"(%size) {value = dense<2> : tensor<i32>} : (tensor<i32>) -> ()
  %double = stablehlo.add %i, %i : tensor<?x3xi32>
  %flat = stablehlo.constant dense<6> : tensor<1xi32>
  %r = stablehlo.dynamic_reshape %double, %flat : (tensor<?x3xi32>, tensor<1xi32>) -> tensor<6xi32>
  "check.expect_eq_const"(%r) {value = dense<[0, 2, 4, 0, 2, 4]> : tensor<6xi32>} : (tensor<6xi32>) -> ()
  return
}
