// Reads a state that another entry leaves.
func.func @main(%past: tensor<?x?xf32> {heddle.name = "past"}) -> (tensor<?x?xf32> {heddle.name = "y"}) {
  %y = stablehlo.negate %past : tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
