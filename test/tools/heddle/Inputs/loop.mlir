// A loop with a product in its body, named as the import of ONNX names them.
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i64>
  %three = stablehlo.constant dense<3> : tensor<i64>
  %one = stablehlo.constant dense<1> : tensor<i64>
  %r:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i64>, tensor<4x4xf32>
    cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32> loc("L/body/mm")
      %n = stablehlo.add %i, %one : tensor<i64> loc("L/body/step")
      stablehlo.return %n, %m : tensor<i64>, tensor<4x4xf32>
    } loc("L")
  return %r#1 : tensor<4x4xf32>
}
