func.func @main() {
  %x = stablehlo.constant dense<0> : tensor<i64>
  %y = stablehlo.while(%i = %x) : tensor<i64>
  cond {
    %c = stablehlo.compare EQ, %i, %i : (tensor<i64>, tensor<i64>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %i : tensor<i64>
  }
  "check.expect_eq"(%y, %x) : (tensor<i64>, tensor<i64>) -> ()
  return
}
