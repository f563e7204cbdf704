// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

// A packed weight and the contraction that reads it, with an epilogue.
module {
  kernel.weight @w : tensor<2x3xf32> packing "* k n -> * n/32 k n%32" {
    %0 = stablehlo.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    %1 = stablehlo.transpose %0, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32>
    kernel.yield %1 : tensor<2x3xf32>
  }
  func.func private @k(%x: tensor<4x2xf32>, %w: tensor<1x2x32xf32>, %bias: tensor<3xf32>) -> tensor<4x3xf32> attributes {kernel.entry} {
    %0 = kernel.contract %x, %w {
      extents = array<i64: 4, 3, 2>,
      indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
      iterator_types = ["parallel", "parallel", "reduction"], rhs_packing = "* k n -> * n/32 k n%32"
    } : tensor<4x2xf32>, tensor<1x2x32xf32> -> tensor<4x3xf32>
    %e = tensor.empty() : tensor<4x3xf32>
    %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%0, %bias : tensor<4x3xf32>, tensor<3xf32>) outs(%e : tensor<4x3xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
  func.func @main() {
    %x = stablehlo.constant dense<[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]]> : tensor<4x2xf32>
    %b = stablehlo.constant dense<[10.0, 20.0, 30.0]> : tensor<3xf32>
    %w = kernel.weight_ref @w : tensor<1x2x32xf32>
    %y = kernel.launch @k(%x, %w, %b) : (tensor<4x2xf32>, tensor<1x2x32xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    "check.expect_eq_const"(%y) {value = dense<[[11.0, 23.0, 35.0], [12.0, 24.0, 36.0], [13.0, 27.0, 41.0], [12.0, 26.0, 40.0]]> : tensor<4x3xf32>} : (tensor<4x3xf32>) -> ()
    return
  }
}

// -----

// Reductions, indices, strided reads and gathers of linalg.
func.func @structured() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]> : tensor<2x4xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j * 2 + 1)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i)>],
      iterator_types = ["parallel", "reduction"]} ins(%x, %e : tensor<2x4xf32>, tensor<2xf32>) outs(%init : tensor<2xf32>) {
  ^bb0(%a: f32, %unused: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<2xf32>
  "check.expect_eq_const"(%sum) {value = dense<[6.0, 14.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  %i = tensor.empty() : tensor<2x2xi64>
  %picked = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%i : tensor<2x2xi64>) {
  ^bb0(%o: i64):
    %r = linalg.index 0 : index
    %c = linalg.index 1 : index
    %v = tensor.extract %x[%c, %r] : tensor<2x4xf32>
    %n = arith.fptosi %v : f32 to i64
    linalg.yield %n : i64
  } -> tensor<2x2xi64>
  "check.expect_eq_const"(%picked) {value = dense<[[1, 5], [2, 6]]> : tensor<2x2xi64>} : (tensor<2x2xi64>) -> ()
  return
}

// -----

// A point of the window that is padding is skipped: the mean counts it out.
func.func @windows() {
  %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %low = arith.constant 0xFF800000 : f32
  %m = kernel.reduce_window inputs(%x) inits(%low) {
    window = array<i64: 2>, strides = array<i64: 2>, padding = array<i64: 2, 1>,
    base_dilations = array<i64: 1>, window_dilations = array<i64: 1>
  } : (tensor<3xf32>, f32) -> tensor<3xf32> {
  ^bb0(%acc: f32, %in: f32):
    %s = arith.maximumf %acc, %in : f32
    kernel.yield %s : f32
  }
  "check.expect_eq_const"(%m) {value = dense<[0xFF800000, 2.0, 3.0]> : tensor<3xf32>} : (tensor<3xf32>) -> ()
  return
}

// -----

// Equal scores average the values; causal rows see what is before them.
func.func @attention() {
  %q = stablehlo.constant dense<0.0> : tensor<2x4xf32>
  %v = stablehlo.constant dense<[[1.0], [3.0]]> : tensor<2x1xf32>
  %y = kernel.attention %q, %q, %v {
    extents = array<i64: 2, 2, 4, 1>,
    indexing_maps = [affine_map<(m, n, d, e) -> (m, d)>, affine_map<(m, n, d, e) -> (n, d)>,
                     affine_map<(m, n, d, e) -> (n, e)>, affine_map<(m, n, d, e) -> (m, e)>],
    scale = 1.0 : f32, causal
  } : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x1xf32> -> tensor<2x1xf32>
  "check.expect_eq_const"(%y) {value = dense<[[1.0], [2.0]]> : tensor<2x1xf32>} : (tensor<2x1xf32>) -> ()
  return
}

// -----

// One key counts in the first row of the batch, none in the second, which has the sink alone.
func.func @attention_options() {
  %q = stablehlo.constant dense<0.0> : tensor<2x1x4xf32>
  %v = stablehlo.constant dense<[[[8.0], [0x7FC00000]], [[2.0], [3.0]]]> : tensor<2x2x1xf32>
  %n = stablehlo.constant dense<[1, -1]> : tensor<2xi64>
  %s = stablehlo.constant dense<0.0> : tensor<f32>
  %k = stablehlo.constant dense<0.0> : tensor<2x2x4xf32>
  %y, %l = kernel.attention %q, %k, %v lengths %n sink %s {
    extents = array<i64: 2, 1, 2, 4, 1>,
    indexing_maps = [affine_map<(b, m, n, d, e) -> (b, m, d)>, affine_map<(b, m, n, d, e) -> (b, n, d)>,
                     affine_map<(b, m, n, d, e) -> (b, n, e)>, affine_map<(b, m, n, d, e) -> (b)>, affine_map<(b, m, n, d, e) -> ()>,
                     affine_map<(b, m, n, d, e) -> (b, m, e)>],
    scale = 1.0 : f32, causal, window = 1 : i64
  } : tensor<2x1x4xf32>, tensor<2x2x4xf32>, tensor<2x2x1xf32> lengths tensor<2xi64> sink tensor<f32> -> tensor<2x1x1xf32>, tensor<2x1xf32>
  "check.expect_eq_const"(%y) {value = dense<[[[4.0]], [[0.0]]]> : tensor<2x1x1xf32>} : (tensor<2x1x1xf32>) -> ()
  "check.expect_almost_eq_const"(%l) {value = dense<[[0.693147182], [0.0]]> : tensor<2x1xf32>, tolerance = 1.0e-6 : f64} : (tensor<2x1xf32>) -> ()
  return
}

// -----

func.func @convolution() {
  %x = stablehlo.constant dense<[[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>
  %w = stablehlo.constant dense<[[[1.0, 1.0]], [[10.0, 100.0]]]> : tensor<2x1x2xf32>
  %y = kernel.convolution %x, %w {
    strides = array<i64: 1>, padding = array<i64: 0, 1>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, groups = 2 : i64
  } : tensor<1x3x2xf32>, tensor<2x1x2xf32> -> tensor<1x3x2xf32>
  "check.expect_eq_const"(%y) {value = dense<[[[31.0, 402.0], [53.0, 604.0], [5.0, 6.0]]]> : tensor<1x3x2xf32>} : (tensor<1x3x2xf32>) -> ()
  return
}

// -----

// Of i1, arith's sum wraps, and a signed conversion gives -1.
func.func @booleans() {
  %a = stablehlo.constant dense<[true, true]> : tensor<2xi1>
  %b = stablehlo.constant dense<[true, false]> : tensor<2xi1>
  %s = arith.addi %a, %b : tensor<2xi1>
  "check.expect_eq_const"(%s) {value = dense<[false, true]> : tensor<2xi1>} : (tensor<2xi1>) -> ()
  %f = arith.sitofp %b : tensor<2xi1> to tensor<2xf32>
  "check.expect_eq_const"(%f) {value = dense<[-1.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  %u = arith.uitofp %b : tensor<2xi1> to tensor<2xf32>
  "check.expect_eq_const"(%u) {value = dense<[1.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}

// -----

// Products are summed in the accumulator, and rounded once.
func.func @accumulators() {
  %x = stablehlo.constant dense<[[16777216.0, 1.0, 1.0]]> : tensor<1x3xf32>
  %w = stablehlo.constant dense<1.0> : tensor<3x1xf32>
  %0 = kernel.contract %x, %w {
    extents = array<i64: 1, 1, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = f64
  } : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  "check.expect_eq_const"(%0) {value = dense<16777218.0> : tensor<1x1xf32>} : (tensor<1x1xf32>) -> ()
  %1 = kernel.contract %x, %w {
    extents = array<i64: 1, 1, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"]
  } : tensor<1x3xf32>, tensor<3x1xf32> -> tensor<1x1xf32>
  "check.expect_eq_const"(%1) {value = dense<16777216.0> : tensor<1x1xf32>} : (tensor<1x1xf32>) -> ()
  %i = stablehlo.constant dense<[[[16777216.0], [1.0], [1.0]]]> : tensor<1x3x1xf32>
  %k = stablehlo.constant dense<1.0> : tensor<3x1x1xf32>
  %2 = kernel.convolution %i, %k {
    strides = array<i64: 1>, padding = array<i64: 0, 0>, lhs_dilation = array<i64: 1>, rhs_dilation = array<i64: 1>, groups = 1 : i64, accumulator = f64
  } : tensor<1x3x1xf32>, tensor<3x1x1xf32> -> tensor<1x1x1xf32>
  "check.expect_eq_const"(%2) {value = dense<16777218.0> : tensor<1x1x1xf32>} : (tensor<1x1x1xf32>) -> ()
  %h = stablehlo.constant dense<[[256.0, 1.0, 1.0]]> : tensor<1x3xbf16>
  %o = stablehlo.constant dense<1.0> : tensor<3x1xbf16>
  %3 = kernel.contract %h, %o {
    extents = array<i64: 1, 1, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], accumulator = f32
  } : tensor<1x3xbf16>, tensor<3x1xbf16> -> tensor<1x1xbf16>
  "check.expect_eq_const"(%3) {value = dense<258.0> : tensor<1x1xbf16>} : (tensor<1x1xbf16>) -> ()
  return
}

// -----

// Sums run to the limit, whatever lies beyond; results beyond theirs are nobody's.
func.func @limits() {
  %x = stablehlo.constant dense<[[1.0, 2.0, 0x7FC00000], [3.0, 4.0, 0x7FC00000]]> : tensor<2x3xf32>
  %w = stablehlo.constant dense<[[1.0, 10.0], [100.0, 1000.0], [0x7FC00000, 0x7FC00000]]> : tensor<3x2xf32>
  %n = stablehlo.constant dense<1> : tensor<i32>
  %one = kernel.size <a>(%n) : tensor<i32>
  %two = kernel.size <2 * a>(%n) : tensor<i32>
  %0 = kernel.contract %x, %w limits(%one, %two) {
    extents = array<i64: 2, 2, 3>,
    indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
    iterator_types = ["parallel", "parallel", "reduction"], limited = array<i64: 0, 2>
  } : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>
  %1 = stablehlo.slice %0 [0:1, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  "check.expect_eq_const"(%1) {value = dense<[[201.0, 2010.0]]> : tensor<1x2xf32>} : (tensor<1x2xf32>) -> ()
  %2 = stablehlo.slice %0 [1:2, 0:2] : (tensor<2x2xf32>) -> tensor<1x2xf32>
  %3 = stablehlo.compare NE, %2, %2 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x2xi1>
  "check.expect_eq_const"(%3) {value = dense<true> : tensor<1x2xi1>} : (tensor<1x2xi1>) -> ()
  return
}
