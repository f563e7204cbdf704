sdy.mesh @mesh = <["data"=2]>
func.func @main(%x: tensor<4xf32> {mhlo.sharding = "{devices=[2]<=[2]}"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
