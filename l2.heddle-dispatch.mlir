#loc1 = loc(unknown)
#loc2 = loc("/tmp/l2.mlir":1:33)
#loc3 = loc("/tmp/l2.mlir":2:6)
#loc4 = loc("/tmp/l2.mlir":11:7)
#loc5 = loc("/tmp/l2.mlir":13:7)
#loc6 = loc("/tmp/l2.mlir":7:14)
#loc7 = loc("/tmp/l2.mlir":3:43)
#loc8 = loc("/tmp/l2.mlir":17:7)
#loc9 = loc("/tmp/l2.mlir":3:14)
#loc10 = loc("/tmp/l2.mlir":20:9)
#loc12 = loc("/tmp/l2.mlir":1:17)
#map = affine_map<() -> ()>
#loc18 = loc(fused[#loc4, #loc5])
module attributes {heddle.source = "l2.mlir", heddle.target = "x86-64-v3"} {
  func.func private @k0(%arg0: tensor<f32> {kernel.in_place = 0 : i64} loc(unknown)) -> tensor<f32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<f32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg0, %arg0 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/l2.mlir":1:33), %in_0: f32 loc("/tmp/l2.mlir":1:33), %out: f32 loc("/tmp/l2.mlir":2:6)):
      %2 = arith.mulf %in, %in_0 : f32 loc(#loc1)
      linalg.yield %2 : f32 loc(#loc1)
    } -> tensor<f32> loc(#loc1)
    return %1 : tensor<f32> loc(#loc1)
  } loc(#loc1)
  func.func private @k1() -> tensor<i1> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<i1> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = []} outs(%0 : tensor<i1>) {
    ^bb0(%out: i1 loc(unknown)):
      %false = arith.constant false loc(#loc1)
      linalg.yield %false : i1 loc(#loc1)
    } -> tensor<i1> loc(#loc1)
    return %1 : tensor<i1> loc(#loc1)
  } loc(#loc1)
  func.func private @k2(%arg0: tensor<f32> {kernel.in_place = 0 : i64} loc(unknown), %arg1: tensor<f32> loc(unknown)) -> tensor<f32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<f32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg0, %arg1 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32 loc(fused[#loc4, #loc5]), %in_0: f32 loc(fused[#loc4, #loc5]), %out: f32 loc(fused[#loc4, #loc5])):
      %2 = arith.addf %in, %in_0 : f32 loc(#loc1)
      %3 = arith.maximumf %2, %in : f32 loc(#loc1)
      linalg.yield %3 : f32 loc(#loc1)
    } -> tensor<f32> loc(#loc1)
    return %1 : tensor<f32> loc(#loc1)
  } loc(#loc1)
  func.func private @k3(%arg0: tensor<f32> {kernel.in_place = 0 : i64} loc(unknown), %arg1: tensor<f32> loc(unknown)) -> tensor<f32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<f32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg0, %arg1 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/l2.mlir":7:14), %in_0: f32 loc("/tmp/l2.mlir":3:43), %out: f32 loc("/tmp/l2.mlir":17:7)):
      %2 = arith.maximumf %in, %in_0 : f32 loc(#loc1)
      linalg.yield %2 : f32 loc(#loc1)
    } -> tensor<f32> loc(#loc1)
    return %1 : tensor<f32> loc(#loc1)
  } loc(#loc1)
  func.func private @k4(%arg0: tensor<f32> {kernel.in_place = 0 : i64} loc(unknown), %arg1: tensor<f32> loc(unknown)) -> tensor<f32> attributes {kernel.entry} {
    %0 = tensor.empty() : tensor<f32> loc(#loc1)
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = []} ins(%arg0, %arg1 : tensor<f32>, tensor<f32>) outs(%0 : tensor<f32>) {
    ^bb0(%in: f32 loc("/tmp/l2.mlir":3:14), %in_0: f32 loc("/tmp/l2.mlir":2:6), %out: f32 loc("/tmp/l2.mlir":20:9)):
      %2 = arith.addf %in, %in_0 : f32 loc(#loc1)
      linalg.yield %2 : f32 loc(#loc1)
    } -> tensor<f32> loc(#loc1)
    return %1 : tensor<f32> loc(#loc1)
  } loc(#loc1)
  func.func @main(%arg0: tensor<i1> {heddle.name = "arg0"} loc("/tmp/l2.mlir":1:17), %arg1: tensor<f32> {heddle.name = "arg1"} loc("/tmp/l2.mlir":1:33)) -> (tensor<f32> {heddle.name = "out0"}) {
    %0 = kernel.launch @k0(%arg1) : (tensor<f32>) -> tensor<f32> loc(#loc3)
    %1:2 = stablehlo.while(%arg2 = %arg0, %arg3 = %arg1) : tensor<i1>, tensor<f32>
     cond {
      stablehlo.return %arg2 : tensor<i1> loc(#loc13)
    } do {
      %3 = kernel.launch @k1() : () -> tensor<i1> loc(#loc1)
      %4:2 = stablehlo.while(%arg4 = %arg0, %arg5 = %arg3) : tensor<i1>, tensor<f32>
       cond {
        stablehlo.return %arg4 : tensor<i1> loc(#loc14)
      } do {
        %6 = kernel.launch @k1() : () -> tensor<i1> loc(#loc1)
        %7 = kernel.launch @k2(%arg5, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc18)
        stablehlo.return %6, %7 : tensor<i1>, tensor<f32> loc(#loc15)
      } loc(#loc6)
      %5 = kernel.launch @k3(%4#1, %arg3) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc8)
      stablehlo.return %3, %5 : tensor<i1>, tensor<f32> loc(#loc16)
    } loc(#loc9)
    %2 = kernel.launch @k4(%1#1, %0) : (tensor<f32>, tensor<f32>) -> tensor<f32> loc(#loc10)
    return %2 : tensor<f32> loc(#loc17)
  } loc(#loc11)
} loc(#loc)
#loc = loc("/tmp/l2.mlir":0:0)
#loc11 = loc("/tmp/l2.mlir":1:1)
#loc13 = loc("/tmp/l2.mlir":5:1)
#loc14 = loc("/tmp/l2.mlir":9:1)
#loc15 = loc("/tmp/l2.mlir":14:1)
#loc16 = loc("/tmp/l2.mlir":18:1)
#loc17 = loc("/tmp/l2.mlir":21:1)
