// Appends a row.
func.func @main(%past: tensor<?x?xf32> {heddle.name = "past"}, %new: tensor<1x?xf32> {heddle.name = "new"}) -> (tensor<?x?xf32> {heddle.name = "present"}) {
  %present = stablehlo.concatenate %past, %new, dim = 0 : (tensor<?x?xf32>, tensor<1x?xf32>) -> tensor<?x?xf32>
  return %present : tensor<?x?xf32>
}
