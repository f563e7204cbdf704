// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

// Towards zero; NaN is 0 and what does not fit the nearest limit.
func.func @to_integers() {
  %x = stablehlo.constant dense<[1.9, -1.9, 300.0, 0x7FC00000, 0xFF800000]> : tensor<5xf32>
  %i = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi8>
  "check.expect_eq_const"(%i) {value = dense<[1, -1, 127, 0, -128]> : tensor<5xi8>} : (tensor<5xi8>) -> ()
  %u = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xui8>
  "check.expect_eq_const"(%u) {value = dense<[1, 0, 255, 0, 0]> : tensor<5xui8>} : (tensor<5xui8>) -> ()
  %b = stablehlo.convert %x : (tensor<5xf32>) -> tensor<5xi1>
  "check.expect_eq_const"(%b) {value = dense<true> : tensor<5xi1>} : (tensor<5xi1>) -> ()
  return
}

// -----

// 2^53 + 2^24 + 1 is a tie for f32 in double, and is none in truth.
func.func @rounds_once() {
  %x = stablehlo.constant dense<[9007200328482817, -9007200328482817]> : tensor<2xi64>
  %y = stablehlo.convert %x : (tensor<2xi64>) -> tensor<2xf32>
  "check.expect_eq_const"(%y) {value = dense<[9.00720033E+15, -9.00720033E+15]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  return
}

// -----

func.func @bits() {
  %x = stablehlo.constant dense<[1.0, -2.0]> : tensor<2xf32>
  %halves = stablehlo.bitcast_convert %x : (tensor<2xf32>) -> tensor<2x2xui16>
  "check.expect_eq_const"(%halves) {value = dense<[[0, 16256], [0, 49152]]> : tensor<2x2xui16>} : (tensor<2x2xui16>) -> ()
  %back = stablehlo.bitcast_convert %halves : (tensor<2x2xui16>) -> tensor<2xf32>
  "check.expect_eq"(%back, %x) : (tensor<2xf32>, tensor<2xf32>) -> ()
  %i = stablehlo.constant dense<[25, -2]> : tensor<2xi8>
  %nibbles = stablehlo.bitcast_convert %i : (tensor<2xi8>) -> tensor<2x2xi4>
  "check.expect_eq_const"(%nibbles) {value = dense<[[-7, 1], [-2, -1]]> : tensor<2x2xi4>} : (tensor<2x2xi4>) -> ()
  %whole = stablehlo.bitcast_convert %nibbles : (tensor<2x2xi4>) -> tensor<2xi8>
  "check.expect_eq"(%whole, %i) : (tensor<2xi8>, tensor<2xi8>) -> ()
  return
}

// -----

func.func @roundings() {
  %x = stablehlo.constant dense<[0.5, 1.5, -2.5, 2.4]> : tensor<4xf32>
  %away = stablehlo.round_nearest_afz %x : tensor<4xf32>
  "check.expect_eq_const"(%away) {value = dense<[1.0, 2.0, -3.0, 2.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  %even = stablehlo.round_nearest_even %x : tensor<4xf32>
  "check.expect_eq_const"(%even) {value = dense<[0.0, 2.0, -2.0, 2.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  // Ten bits of mantissa; a small number and a large one leave f16's range.
  %y = stablehlo.constant dense<[1.00048828, 1.0009765625, 1.0e+6, 1.0e-6]> : tensor<4xf32>
  %less = stablehlo.reduce_precision %y, format = e5m10 : tensor<4xf32>
  "check.expect_eq_const"(%less) {value = dense<[1.0, 1.0009765625, 0x7F800000, 0.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  return
}

// -----

// A narrow float is the number, wherever its own format has it: what is subnormal in f8E4M3FN is too small for four bits of exponent, and what has all
// of these set too large. Too large is infinite, which f8E4M3FN has as NaN and f4E2M1FN as its largest number. XLA has the same bits.
func.func @precisions_of_narrow_floats() {
  %x = stablehlo.constant dense<[0x35, 0x7E, 0x03, 0x01, 0xFD, 0x7F]> : tensor<6xf8E4M3FN>
  %a = stablehlo.reduce_precision %x, format = e4m1 : tensor<6xf8E4M3FN>
  %abits = stablehlo.bitcast_convert %a : (tensor<6xf8E4M3FN>) -> tensor<6xui8>
  "check.expect_eq_const"(%abits) {value = dense<[0x34, 0x7F, 0x00, 0x00, 0xFF, 0x7F]> : tensor<6xui8>} : (tensor<6xui8>) -> ()
  %b = stablehlo.reduce_precision %x, format = e3m3 : tensor<6xf8E4M3FN>
  %bbits = stablehlo.bitcast_convert %b : (tensor<6xf8E4M3FN>) -> tensor<6xui8>
  "check.expect_eq_const"(%bbits) {value = dense<[0x35, 0x7F, 0x00, 0x00, 0xFF, 0x7F]> : tensor<6xui8>} : (tensor<6xui8>) -> ()
  %e = stablehlo.reduce_precision %x, format = e8m1 : tensor<6xf8E4M3FN>
  %ebits = stablehlo.bitcast_convert %e : (tensor<6xf8E4M3FN>) -> tensor<6xui8>
  "check.expect_eq_const"(%ebits) {value = dense<[0x34, 0x7F, 0x03, 0x01, 0xFC, 0x7F]> : tensor<6xui8>} : (tensor<6xui8>) -> ()
  %y = stablehlo.constant dense<[0.5, 1.5, -6.0, 3.0]> : tensor<4xf4E2M1FN>
  %c = stablehlo.reduce_precision %y, format = e1m1 : tensor<4xf4E2M1FN>
  %cwide = stablehlo.convert %c : (tensor<4xf4E2M1FN>) -> tensor<4xf32>
  "check.expect_eq_const"(%cwide) {value = dense<[0.0, 0.0, -6.0, 6.0]> : tensor<4xf32>} : (tensor<4xf32>) -> ()
  return
}

// -----

// What only moves floats keeps the bits that a NaN has.
func.func @moved_bits() {
  %a = stablehlo.constant dense<[0x7D, 0xFE, 0x7F, 0x3C]> : tensor<4xui8>
  %b = stablehlo.constant dense<[0xFF, 0x7E, 0xFD, 0x01]> : tensor<4xui8>
  %p = stablehlo.constant dense<[true, false, true, false]> : tensor<4xi1>
  %x = stablehlo.bitcast_convert %a : (tensor<4xui8>) -> tensor<4xf8E5M2>
  %y = stablehlo.bitcast_convert %b : (tensor<4xui8>) -> tensor<4xf8E5M2>
  %s = stablehlo.select %p, %x, %y : tensor<4xi1>, tensor<4xf8E5M2>
  %sbits = stablehlo.bitcast_convert %s : (tensor<4xf8E5M2>) -> tensor<4xui8>
  "check.expect_eq_const"(%sbits) {value = dense<[0x7D, 0x7E, 0x7F, 0x01]> : tensor<4xui8>} : (tensor<4xui8>) -> ()
  // Regions on scalars, compiled to functions of elements and not.
  %m = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f8E5M2>, %r: tensor<f8E5M2>):
    stablehlo.return %r : tensor<f8E5M2>
  }) : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  %mbits = stablehlo.bitcast_convert %m : (tensor<4xf8E5M2>) -> tensor<4xui8>
  "check.expect_eq"(%mbits, %b) : (tensor<4xui8>, tensor<4xui8>) -> ()
  %n = "stablehlo.map"(%x, %y) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f8E5M2>, %r: tensor<f8E5M2>):
    %v = stablehlo.broadcast_in_dim %r, dims = [] : (tensor<f8E5M2>) -> tensor<1xf8E5M2>
    %w = stablehlo.reshape %v : (tensor<1xf8E5M2>) -> tensor<f8E5M2>
    stablehlo.return %w : tensor<f8E5M2>
  }) : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  %nbits = stablehlo.bitcast_convert %n : (tensor<4xf8E5M2>) -> tensor<4xui8>
  "check.expect_eq"(%nbits, %b) : (tensor<4xui8>, tensor<4xui8>) -> ()
  // What computes gives the NaN of the format.
  %t = stablehlo.add %x, %y : tensor<4xf8E5M2>
  %tbits = stablehlo.bitcast_convert %t : (tensor<4xf8E5M2>) -> tensor<4xui8>
  "check.expect_eq_const"(%tbits) {value = dense<[0x7E, 0x7E, 0x7E, 0x3C]> : tensor<4xui8>} : (tensor<4xui8>) -> ()
  return
}
