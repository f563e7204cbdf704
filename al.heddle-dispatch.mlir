#loc1 = loc(unknown)
#loc2 = loc("/tmp/interp/al.mlir":2:9)
#loc4 = loc("/tmp/interp/al.mlir":1:17)
#loc5 = loc("/tmp/interp/al.mlir":1:36)
module attributes {heddle.source = "al.mlir"} {
  func.func private @k0(%arg0: tensor<3xi64> {kernel.tied = 0 : i64} loc(unknown), %arg1: tensor<3xi32> loc(unknown)) -> tensor<3xi64> attributes {kernel.entry} {
    %0 = kernel.scatter targets(%arg0) indices(%arg1) updates(%arg0) {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : (tensor<3xi64>, tensor<3xi32>, tensor<3xi64>) -> tensor<3xi64> {
    ^bb0(%arg2: i64 loc("/tmp/interp/al.mlir":2:9), %arg3: i64 loc("/tmp/interp/al.mlir":2:9)):
      %1 = arith.addi %arg2, %arg3 : i64 loc(#loc1)
      kernel.yield %1 : i64 loc(#loc1)
    } loc(#loc1)
    return %0 : tensor<3xi64> loc(#loc1)
  } loc(#loc1)
  func.func @main(%arg0: tensor<3xi64> {heddle.name = "arg0"} loc("/tmp/interp/al.mlir":1:17), %arg1: tensor<3xi32> {heddle.name = "arg1"} loc("/tmp/interp/al.mlir":1:36)) -> (tensor<3xi64> {heddle.name = "out0"}) {
    %0 = kernel.launch @k0(%arg0, %arg1) : (tensor<3xi64>, tensor<3xi32>) -> tensor<3xi64> loc(#loc2)
    return %0 : tensor<3xi64> loc(#loc6)
  } loc(#loc3)
} loc(#loc)
#loc = loc("/tmp/interp/al.mlir":0:0)
#loc3 = loc("/tmp/interp/al.mlir":1:1)
#loc6 = loc("/tmp/interp/al.mlir":7:3)
