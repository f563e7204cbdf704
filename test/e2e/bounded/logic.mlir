// A fold of logic keeps the size that its result has: sizes that are taken for equal have two spellings.

// RUN: heddle compare -q %s --shape arg0=2..16 --shape arg1=1..8

func.func @main(%x: tensor<?xi1>, %y: tensor<?xi1>) -> (tensor<?xi1>, tensor<?xi1>) {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xi1>) -> tensor<i32>
  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %b = stablehlo.dynamic_broadcast_in_dim %c, %s, dims = [] : (tensor<i1>, tensor<1xi32>) -> tensor<?xi1>
  %yy = stablehlo.concatenate %y, %y, dim = 0 : (tensor<?xi1>, tensor<?xi1>) -> tensor<?xi1>
  %yn = stablehlo.not %yy : tensor<?xi1>
  %z = stablehlo.and %yn, %b : tensor<?xi1>
  %w = stablehlo.xor %z, %x : tensor<?xi1>
  return %w, %z : tensor<?xi1>, tensor<?xi1>
}
