// Of which a test opens one size or the other.
func.func @main(%x: tensor<32x64xf32> {heddle.name = "x"}) -> tensor<32x64xf32> {
  %0 = stablehlo.tanh %x : tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
