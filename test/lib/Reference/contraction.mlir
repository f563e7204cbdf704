// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @batched() {
  %a = stablehlo.constant dense<[[[1, 2], [3, 4]], [[5, 6], [7, 8]]]> : tensor<2x2x2xi32>
  %b = stablehlo.constant dense<[[[1, 1], [0, 1]], [[2, 0], [0, 2]]]> : tensor<2x2x2xi32>
  %c = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<2x2x2xi32>, tensor<2x2x2xi32>) -> tensor<2x2x2xi32>
  "check.expect_eq_const"(%c) {value = dense<[[[1, 3], [3, 7]], [[10, 12], [14, 16]]]> : tensor<2x2x2xi32>} : (tensor<2x2x2xi32>) -> ()
  return
}

// -----

// Nothing to sum is zero; booleans sum to "any".
func.func @edges() {
  %a = stablehlo.constant dense<> : tensor<2x0xf32>
  %b = stablehlo.constant dense<> : tensor<0x3xf32>
  %c = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  "check.expect_eq_const"(%c) {value = dense<0.0> : tensor<2x3xf32>} : (tensor<2x3xf32>) -> ()
  %p = stablehlo.constant dense<true> : tensor<2xi1>
  %q = stablehlo.dot_general %p, %p, contracting_dims = [0] x [0] : (tensor<2xi1>, tensor<2xi1>) -> tensor<i1>
  "check.expect_eq_const"(%q) {value = dense<true> : tensor<i1>} : (tensor<i1>) -> ()
  return
}

// -----

// Wide enough for whole tiles of the product and odd ones beside them.
func.func @tiles() {
  %i = stablehlo.iota dim = 1 : tensor<5x300xf32>
  %one = stablehlo.constant dense<1.0> : tensor<300x35xf32>
  %c = stablehlo.dot_general %i, %one, contracting_dims = [1] x [0] : (tensor<5x300xf32>, tensor<300x35xf32>) -> tensor<5x35xf32>
  "check.expect_eq_const"(%c) {value = dense<44850.0> : tensor<5x35xf32>} : (tensor<5x35xf32>) -> ()
  return
}

// -----

func.func @convolutions() {
  %x = stablehlo.constant dense<[[[1.0], [2.0], [3.0], [4.0]]]> : tensor<1x4x1xf32>
  %w = stablehlo.constant dense<[[[1.0]], [[10.0]]]> : tensor<2x1x1xf32>
  %y = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[1, 1]]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x3x1xf32>
  "check.expect_eq_const"(%y) {value = dense<[[[10.0], [32.0], [4.0]]]> : tensor<1x3x1xf32>} : (tensor<1x3x1xf32>) -> ()
  %reversed = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {lhs_dilate = [2], rhs_dilate = [2], reverse = [true]}
      {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x4x1xf32>, tensor<2x1x1xf32>) -> tensor<1x5x1xf32>
  "check.expect_eq_const"(%reversed) {value = dense<[[[12.0], [0.0], [23.0], [0.0], [34.0]]]> : tensor<1x5x1xf32>} : (tensor<1x5x1xf32>) -> ()
  %pair = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0]]]> : tensor<1x2x2xf32>
  %wg = stablehlo.constant dense<[[[1.0, 100.0]]]> : tensor<1x1x2xf32>
  %grouped = stablehlo.convolution(%pair, %wg) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {}
      {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x2x2xf32>
  "check.expect_eq_const"(%grouped) {value = dense<[[[1.0, 200.0], [3.0, 400.0]]]> : tensor<1x2x2xf32>} : (tensor<1x2x2xf32>) -> ()
  return
}

// -----

func.func @linear_algebra() {
  %a = stablehlo.constant dense<[[4.0, 2.0], [2.0, 10.0]]> : tensor<2x2xf64>
  %l = stablehlo.cholesky %a, lower = true : tensor<2x2xf64>
  "check.expect_eq_const"(%l) {value = dense<[[2.0, 0.0], [1.0, 3.0]]> : tensor<2x2xf64>} : (tensor<2x2xf64>) -> ()
  %b = stablehlo.constant dense<[[2.0], [7.0]]> : tensor<2x1xf64>
  %x = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  "check.expect_eq_const"(%x) {value = dense<[[1.0], [2.0]]> : tensor<2x1xf64>} : (tensor<2x1xf64>) -> ()
  %t = "stablehlo.triangular_solve"(%l, %b) {left_side = true, lower = true, unit_diagonal = true, transpose_a = #stablehlo<transpose TRANSPOSE>} : (tensor<2x2xf64>, tensor<2x1xf64>) -> tensor<2x1xf64>
  "check.expect_eq_const"(%t) {value = dense<[[-5.0], [7.0]]> : tensor<2x1xf64>} : (tensor<2x1xf64>) -> ()
  return
}

// -----

// A length of 6 splits into 2 and 3; the inverse gives back what was there.
func.func @fourier() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf64>
  %f = stablehlo.fft %x, type = RFFT, length = [6] : (tensor<6xf64>) -> tensor<4xcomplex<f64>>
  "check.expect_close_const"(%f) {value = dense<[(21.0, 0.0), (-3.0, 5.196152422706632), (-3.0, 1.7320508075688772), (-3.0, 0.0)]> : tensor<4xcomplex<f64>>} : (tensor<4xcomplex<f64>>) -> ()
  %back = stablehlo.fft %f, type = IRFFT, length = [6] : (tensor<4xcomplex<f64>>) -> tensor<6xf64>
  "check.expect_close"(%back, %x) : (tensor<6xf64>, tensor<6xf64>) -> ()
  return
}
