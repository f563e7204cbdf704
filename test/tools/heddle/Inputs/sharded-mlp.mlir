sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<12x16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>}, %w: tensor<16x24xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"model"}]>}, %b: tensor<24xf32>, %v: tensor<24x10xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<12x10xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<12x24xf32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<24xf32>) -> tensor<12x24xf32>
  %2 = stablehlo.add %0, %1 : tensor<12x24xf32>
  %3 = stablehlo.maximum %2, %zero : tensor<12x24xf32>
  %4 = stablehlo.dot_general %3, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32> loc("logits")
  return %4 : tensor<12x10xf32>
}
