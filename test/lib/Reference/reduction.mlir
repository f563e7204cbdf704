// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @reduces() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 0x7FC00000], [4.0, -5.0, 6.0]]> : tensor<2x3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %rows = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  "check.expect_eq_const"(%rows) {value = dense<[0x7FC00000, 5.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  %columns = stablehlo.reduce(%x init: %zero) applies stablehlo.maximum across dimensions = [0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3xf32>
  "check.expect_eq_const"(%columns) {value = dense<[4.0, 2.0, 0x7FC00000]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  %e = stablehlo.constant dense<> : tensor<2x0xf32>
  %none = stablehlo.reduce(%e init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x0xf32>, tensor<f32>) -> tensor<2xf32>
  "check.expect_eq_const"(%none) {value = dense<0.0> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}

// -----

// Value and place of the largest element: two inputs, a body of several
// operations.
func.func @argmax() {
  %x = stablehlo.constant dense<[3, 9, 9, 1]> : tensor<4xi32>
  %i = stablehlo.iota dim = 0 : tensor<4xi32>
  %low = stablehlo.constant dense<-100> : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %v:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [0] : (tensor<4xi32>, tensor<4xi32>, tensor<i32>, tensor<i32>) -> (tensor<i32>, tensor<i32>)
   reducer(%a: tensor<i32>, %b: tensor<i32>) (%ia: tensor<i32>, %ib: tensor<i32>) {
    %keep = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.select %keep, %a, %b : tensor<i1>, tensor<i32>
    %im = stablehlo.select %keep, %ia, %ib : tensor<i1>, tensor<i32>
    stablehlo.return %m, %im : tensor<i32>, tensor<i32>
  }
  "check.expect_eq_const"(%v#0) {value = dense<9> : tensor<i32>} : (tensor<i32>) -> ()
  "check.expect_eq_const"(%v#1) {value = dense<1> : tensor<i32>} : (tensor<i32>) -> ()
  return
}

// -----

// A body that is no list of element functions runs operation by operation.
func.func @control_flow_in_body() {
  %x = stablehlo.constant dense<[1, -2, 3]> : tensor<3xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %sum = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xi32>, tensor<i32>) -> tensor<i32>
   reducer(%a: tensor<i32>, %b: tensor<i32>) {
    %negative = stablehlo.compare LT, %b, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = "stablehlo.if"(%negative) ({
      stablehlo.return %a : tensor<i32>
    }, {
      %s = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %s : tensor<i32>
    }) : (tensor<i1>) -> tensor<i32>
    stablehlo.return %r : tensor<i32>
  }
  "check.expect_eq_const"(%sum) {value = dense<4> : tensor<i32>} : (tensor<i32>) -> ()
  return
}

// -----

func.func @windows() {
  %x = stablehlo.constant dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %w = "stablehlo.reduce_window"(%x, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 2>, window_strides = array<i64: 2>, window_dilations = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>} : (tensor<5xi32>, tensor<i32>) -> tensor<3xi32>
  "check.expect_eq_const"(%w) {value = dense<[2, 6, 4]> : tensor<3xi32>} : (tensor<3xi32>) -> ()
  %u = stablehlo.constant dense<[10, 20]> : tensor<2xi32>
  %scattered = "stablehlo.select_and_scatter"(%x, %u, %zero) ({
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<i32>, %b: tensor<i32>):
    %s = stablehlo.add %a, %b : tensor<i32>
    stablehlo.return %s : tensor<i32>
  }) {window_dimensions = array<i64: 3>, window_strides = array<i64: 2>} : (tensor<5xi32>, tensor<2xi32>, tensor<i32>) -> tensor<5xi32>
  "check.expect_eq_const"(%scattered) {value = dense<[0, 0, 10, 0, 20]> : tensor<5xi32>} : (tensor<5xi32>) -> ()
  return
}
