func.func @main() {
  %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf64>
  %y = stablehlo.multiply %x, %x : tensor<2xf64>
  "check.expect_eq_const"(%y) {value = dense<[1.0, 4.0]> : tensor<2xf64>} : (tensor<2xf64>) -> ()
  return
}
