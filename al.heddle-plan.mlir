#loc1 = loc(unknown)
#loc2 = loc("/tmp/interp/al.mlir":2:9)
module attributes {heddle.source = "al.mlir"} {
  func.func private @k0(%arg0: tensor<3xi64> {kernel.tied = 0 : i64} loc(unknown), %arg1: tensor<3xi32> loc(unknown)) -> tensor<3xi64> attributes {kernel.entry} {
    %0 = kernel.scatter targets(%arg0) indices(%arg1) updates(%arg0) {index_vector_dim = 1 : i64, input_batching_dims = array<i64>, inserted_window_dims = array<i64: 0>, scatter_dims_to_operand_dims = array<i64: 0>, scatter_indices_batching_dims = array<i64>, update_window_dims = array<i64>} : (tensor<3xi64>, tensor<3xi32>, tensor<3xi64>) -> tensor<3xi64> {
    ^bb0(%arg2: i64 loc("/tmp/interp/al.mlir":2:9), %arg3: i64 loc("/tmp/interp/al.mlir":2:9)):
      %1 = arith.addi %arg2, %arg3 : i64 loc(#loc1)
      kernel.yield %1 : i64 loc(#loc1)
    } loc(#loc1)
    return %0 : tensor<3xi64> loc(#loc1)
  } loc(#loc1)
  plan.program @main arena 0 {
    %0 = plan.buffer  input 0 size 24 "arg0" loc(#loc3)
    %1 = plan.buffer  input 1 size 12 "arg1" loc(#loc3)
    %2 = plan.buffer  output 0 size 24 "out0" loc(#loc3)
    plan.copy %0 to %2 nodes [] loc(#loc2)
    plan.launch @k0 reads(%2, %1) writes(%2) nodes [] loc(#loc2)
  } loc(#loc3)
} loc(#loc)
#loc = loc("/tmp/interp/al.mlir":0:0)
#loc3 = loc("/tmp/interp/al.mlir":1:1)
