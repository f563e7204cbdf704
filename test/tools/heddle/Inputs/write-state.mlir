// Leaves a state that another entry reads.
func.func @main(%x: tensor<?x?xf32> {heddle.name = "x"}) -> (tensor<?x?xf32> {heddle.name = "present"}) {
  %present = stablehlo.negate %x : tensor<?x?xf32>
  return %present : tensor<?x?xf32>
}
