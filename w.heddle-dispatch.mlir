#loc1 = loc(unknown)
#loc2 = loc("/tmp/w.mlir":3:8)
#loc4 = loc("/tmp/w.mlir":1:17)
module attributes {heddle.source = "w.mlir"} {
  func.func private @k0(%arg0: tensor<3x32xf32> loc(unknown)) -> tensor<3x32xf32> attributes {kernel.entry} {
    %cst = arith.constant 0xFF800000 : f32 loc(#loc1)
    %0 = kernel.reduce_window inputs(%arg0) inits(%cst) {base_dilations = array<i64: 1, 1>, padding = array<i64: 0, 0, 1, 1>, strides = array<i64: 1, 1>, window = array<i64: 1, 3>, window_dilations = array<i64: 1, 1>} : (tensor<3x32xf32>, f32) -> tensor<3x32xf32> {
    ^bb0(%arg1: f32 loc("/tmp/w.mlir":3:8), %arg2: f32 loc("/tmp/w.mlir":3:8)):
      %1 = arith.maximumf %arg1, %arg2 : f32 loc(#loc1)
      kernel.yield %1 : f32 loc(#loc1)
    } loc(#loc1)
    return %0 : tensor<3x32xf32> loc(#loc1)
  } loc(#loc1)
  func.func @main(%arg0: tensor<3x32xf32> {heddle.name = "arg0"} loc("/tmp/w.mlir":1:17)) -> (tensor<3x32xf32> {heddle.name = "out0"}) {
    %0 = kernel.launch @k0(%arg0) : (tensor<3x32xf32>) -> tensor<3x32xf32> loc(#loc2)
    return %0 : tensor<3x32xf32> loc(#loc5)
  } loc(#loc3)
} loc(#loc)
#loc = loc("/tmp/w.mlir":0:0)
#loc3 = loc("/tmp/w.mlir":1:1)
#loc5 = loc("/tmp/w.mlir":8:3)
