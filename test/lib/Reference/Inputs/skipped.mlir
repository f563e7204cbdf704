func.func @main(%x: tensor<f32>) {
  "check.expect_eq"(%x, %x) : (tensor<f32>, tensor<f32>) -> ()
  return
}
