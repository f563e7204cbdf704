// A layer, and how it lies in XLA's words from before Shardy.
module attributes {mhlo.num_partitions = 4 : i32} {
  func.func @main(%x: tensor<12x16xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"},
                  %w: tensor<16x24xf32> {mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"},
                  %v: tensor<24x10xf32> {mhlo.sharding = "{devices=[2,1,2]<=[2,2]T(1,0) last_tile_dim_replicate}"})
      -> (tensor<12x10xf32> {mhlo.sharding = "{devices=[2,1,2]<=[4] last_tile_dim_replicate}"}) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<12x16xf32>, tensor<16x24xf32>) -> tensor<12x24xf32>
    %1 = stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]", mhlo.sharding = "{devices=[1,2,2]<=[2,2]T(1,0) last_tile_dim_replicate}"} : (tensor<12x24xf32>) -> tensor<12x24xf32>
    %2 = stablehlo.tanh %1 : tensor<12x24xf32>
    %3 = stablehlo.dot_general %2, %v, contracting_dims = [1] x [0] : (tensor<12x24xf32>, tensor<24x10xf32>) -> tensor<12x10xf32>
    return %3 : tensor<12x10xf32>
  }
}
