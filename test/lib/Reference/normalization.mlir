// RUN: heddle test --interpret %s | FileCheck %s
// CHECK: 1 passed, 0 failed, 0 skipped

func.func @main() {
  %x = stablehlo.constant dense<[[1.0, 10.0], [3.0, 30.0]]> : tensor<2x2xf64>
  %scale = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xf64>
  %offset = stablehlo.constant dense<[0.5, 0.0]> : tensor<2xf64>
  %y, %mean, %variance = "stablehlo.batch_norm_training"(%x, %scale, %offset) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  "check.expect_eq_const"(%mean) {value = dense<[2.0, 20.0]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  "check.expect_eq_const"(%variance) {value = dense<[1.0, 100.0]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  "check.expect_eq_const"(%y) {value = dense<[[-1.5, -1.0], [2.5, 1.0]]> : tensor<2x2xf64>} : (tensor<2x2xf64>) -> ()
  %same = "stablehlo.batch_norm_inference"(%x, %scale, %offset, %mean, %variance) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>) -> tensor<2x2xf64>
  "check.expect_eq"(%same, %y) : (tensor<2x2xf64>, tensor<2x2xf64>) -> ()
  // A gradient that is constant moves the offset alone.
  %one = stablehlo.constant dense<1.0> : tensor<2x2xf64>
  %gx, %gs, %go = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %one) {epsilon = 0.0 : f32, feature_index = 1 : i64} : (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2xf64>, tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2xf64>, tensor<2xf64>)
  "check.expect_eq_const"(%gx) {value = dense<0.0> : tensor<2x2xf64>} : (tensor<2x2xf64>) -> ()
  "check.expect_eq_const"(%gs) {value = dense<0.0> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  "check.expect_eq_const"(%go) {value = dense<2.0> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  return
}
