// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @special_values() {
  %x = stablehlo.constant dense<[0.0, 0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000000]> : tensor<4xf64>
  %exp = stablehlo.exponential %x : tensor<4xf64>
  "check.expect_eq_const"(%exp) {value = dense<[1.0, 0x7FF0000000000000, 0.0, 0x7FF8000000000000]> : tensor<4xf64>} : (tensor<4xf64>) -> ()
  %tanh = stablehlo.tanh %x : tensor<4xf64>
  "check.expect_eq_const"(%tanh) {value = dense<[0.0, 1.0, -1.0, 0x7FF8000000000000]> : tensor<4xf64>} : (tensor<4xf64>) -> ()
  %logistic = stablehlo.logistic %x : tensor<4xf64>
  "check.expect_eq_const"(%logistic) {value = dense<[0.5, 1.0, 0.0, 0x7FF8000000000000]> : tensor<4xf64>} : (tensor<4xf64>) -> ()
  %log = stablehlo.log %x : tensor<4xf64>
  "check.expect_eq_const"(%log) {value = dense<[0xFFF0000000000000, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF8000000000000]> : tensor<4xf64>} : (tensor<4xf64>) -> ()
  %finite = stablehlo.is_finite %x : (tensor<4xf64>) -> tensor<4xi1>
  "check.expect_eq_const"(%finite) {value = dense<[true, false, false, false]> : tensor<4xi1>} : (tensor<4xi1>) -> ()
  return
}

// -----

func.func @integer_powers() {
  %a = stablehlo.constant dense<[2, -1, 1, 3, 0, -2]> : tensor<6xi32>
  %b = stablehlo.constant dense<[10, -3, -5, -1, 0, 3]> : tensor<6xi32>
  %power = stablehlo.power %a, %b : tensor<6xi32>
  "check.expect_eq_const"(%power) {value = dense<[1024, -1, 1, 0, 1, -8]> : tensor<6xi32>} : (tensor<6xi32>) -> ()
  return
}

// -----

func.func @complex() {
  %z = stablehlo.constant dense<[(3.0, 4.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>
  %abs = stablehlo.abs %z : (tensor<2xcomplex<f32>>) -> tensor<2xf32>
  "check.expect_eq_const"(%abs) {value = dense<[5.0, 0.0]> : tensor<2xf32>} : (tensor<2xf32>) -> ()
  %sign = stablehlo.sign %z : tensor<2xcomplex<f32>>
  "check.expect_close_const"(%sign) {value = dense<[(0.6, 0.8), (0.0, 0.0)]> : tensor<2xcomplex<f32>>} : (tensor<2xcomplex<f32>>) -> ()
  %product = stablehlo.multiply %z, %z : tensor<2xcomplex<f32>>
  "check.expect_eq_const"(%product) {value = dense<[(-7.0, 24.0), (0.0, 0.0)]> : tensor<2xcomplex<f32>>} : (tensor<2xcomplex<f32>>) -> ()
  %root = stablehlo.sqrt %product : tensor<2xcomplex<f32>>
  "check.expect_close"(%root, %z) : (tensor<2xcomplex<f32>>, tensor<2xcomplex<f32>>) -> ()
  return
}

// -----

// Values of Abramowitz and Stegun's tables.
func.func @special_functions() {
  %x = stablehlo.constant dense<[0.5, 1.0, 2.0]> : tensor<3xf64>
  %erf = chlo.erf %x : tensor<3xf64> -> tensor<3xf64>
  "check.expect_close_const"(%erf) {value = dense<[0.52049987781304654, 0.84270079294971487, 0.99532226501895273]> : tensor<3xf64>} : (tensor<3xf64>) -> ()
  %inverse = chlo.erf_inv %erf : tensor<3xf64> -> tensor<3xf64>
  "check.expect_almost_eq"(%inverse, %x) {tolerance = 1.0e-13 : f64} : (tensor<3xf64>, tensor<3xf64>) -> ()
  %digamma = chlo.digamma %x : tensor<3xf64> -> tensor<3xf64>
  "check.expect_close_const"(%digamma) {value = dense<[-1.9635100260214235, -0.57721566490153287, 0.42278433509846714]> : tensor<3xf64>} : (tensor<3xf64>) -> ()
  %two = stablehlo.constant dense<2.0> : tensor<3xf64>
  %zeta = chlo.zeta %two, %x : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  "check.expect_close_const"(%zeta) {value = dense<[4.9348022005446790, 1.6449340668482264, 0.64493406684822641]> : tensor<3xf64>} : (tensor<3xf64>) -> ()
  %one = stablehlo.constant dense<1.0> : tensor<3xf64>
  %trigamma = chlo.polygamma %one, %x : tensor<3xf64>, tensor<3xf64> -> tensor<3xf64>
  "check.expect_close"(%trigamma, %zeta) : (tensor<3xf64>, tensor<3xf64>) -> ()
  %bessel = chlo.bessel_i1e %x : tensor<3xf64> -> tensor<3xf64>
  "check.expect_close_const"(%bessel) {value = dense<[0.15642080318487173, 0.20791041534970845, 0.21526928924893765]> : tensor<3xf64>} : (tensor<3xf64>) -> ()
  return
}
