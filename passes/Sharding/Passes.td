// Passes that say how tensors lie over meshes of devices.

#ifndef HEDDLE_PASSES_SHARDING_PASSES
#define HEDDLE_PASSES_SHARDING_PASSES

include "mlir/Pass/PassBase.td"

def AnnotateRules : Pass<"heddle-annotate-rules", "mlir::ModuleOp"> {
  let summary = "Write the sharding rule of each operation beside it";
  let description = [{
    ```mlir
    %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ==>
    %0 = stablehlo.transpose %a, dims = [1, 0] {sdy.sharding_rule = #sdy.op_sharding_rule<([j, i])->([i, j]) {i=6, j=4}>} : ...
    ```
    Rules that operations carry already stay. Kinds of factors that the attribute does not have are written as the nearest that it has:
    halos and prefixes as permutations, ragged factors as those that need replication.
  }];
  let dependentDialects = ["heddle::sdy::SdyDialect"];
}

#endif // HEDDLE_PASSES_SHARDING_PASSES
