func.func @main(%x: tensor<4xf32>, %a: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %limit = stablehlo.constant dense<100.0> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %last = stablehlo.while(%v = %x) : tensor<4xf32>
    cond {
      %s = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32> loc("total")
      %c = stablehlo.compare LT, %s, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1> loc("total")
      stablehlo.return %c : tensor<i1>
    } do {
      %d = stablehlo.add %v, %v : tensor<4xf32> loc("twice")
      stablehlo.return %d : tensor<4xf32>
    }
  %l = stablehlo.cholesky %a, lower = true : tensor<4x4xf32> loc("factor")
  %b = stablehlo.broadcast_in_dim %last, dims = [0] : (tensor<4xf32>) -> tensor<4x4xf32>
  %r = stablehlo.remainder %a, %b : tensor<4x4xf32> loc("rest")
  return %last, %l, %r : tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
