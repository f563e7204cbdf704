// One step of a decoder with a cache: the row of this position is written into it, and every row read.
func.func @main(%x: tensor<1x8xf32> {heddle.name = "x"}, %position: tensor<i32> {heddle.name = "position"},
                %past: tensor<16x8xf32> {heddle.name = "past"})
    -> (tensor<1x16xf32> {heddle.name = "scores"}, tensor<16x8xf32> {heddle.name = "present"}) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %two = stablehlo.constant dense<2.0> : tensor<1x8xf32>
  %row = stablehlo.multiply %x, %two : tensor<1x8xf32>
  %present = stablehlo.dynamic_update_slice %past, %row, %position, %zero
    : (tensor<16x8xf32>, tensor<1x8xf32>, tensor<i32>, tensor<i32>) -> tensor<16x8xf32>
  %scores = stablehlo.dot_general %x, %present, contracting_dims = [1] x [1]
    : (tensor<1x8xf32>, tensor<16x8xf32>) -> tensor<1x16xf32>
  return %scores, %present : tensor<1x16xf32>, tensor<16x8xf32>
}
