func.func @main(%x: tensor<300xf32> {heddle.name = "x"}, %y: tensor<300xf32> {heddle.name = "y"})
    -> (tensor<300xf32> {heddle.name = "product"}) {
  %0 = stablehlo.multiply %x, %y : tensor<300xf32>
  return %0 : tensor<300xf32>
}
