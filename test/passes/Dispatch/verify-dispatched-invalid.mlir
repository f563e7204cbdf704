// RUN: heddle-opt %s --heddle-verify-dispatched --verify-diagnostics

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'stablehlo.abs' is outside of every kernel}}
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
