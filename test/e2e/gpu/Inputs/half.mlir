func.func @main(%x: tensor<256x64xf16>, %y: tensor<64x128xf16>) -> tensor<256x128xf16> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<256x64xf16>, tensor<64x128xf16>) -> tensor<256x128xf16>
  return %0 : tensor<256x128xf16>
}
