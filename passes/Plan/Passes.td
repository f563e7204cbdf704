// From launches on tensors to commands on buffers.

#ifndef HEDDLE_PASSES_PLAN_PASSES_TD
#define HEDDLE_PASSES_PLAN_PASSES_TD

include "mlir/Pass/PassBase.td"

def BuildPlan : Pass<"heddle-build-plan", "::mlir::ModuleOp"> {
  let summary = "gives every tensor of the program a buffer, and every buffer a place";
  let description = [{
    Results are written where the caller wants them if nothing else lives
    there; a reshape is the same buffer; a kernel writes over an input that dies
    with it where it may. What remains shares one arena: buffers that are alive
    at the same time do not overlap.

    ```mlir
    func.func @main(%x: tensor<64xf32> {heddle.name = "x"}) -> (tensor<64xf32> {heddle.name = "y"}) {
      %0 = kernel.launch @k0(%x) : (tensor<64xf32>) -> tensor<64xf32>
      return %0 : tensor<64xf32>
    }
    ```
    ==>
    ```mlir
    plan.program @main arena 0 {
      %0 = plan.buffer input 0 size 256 "x"
      %1 = plan.buffer output 0 size 256 "y"
      plan.launch @k0 reads(%0) writes(%1) nodes []
    }
    ```
  }];
  let dependentDialects = ["::heddle::plan::PlanDialect"];
}

#endif // HEDDLE_PASSES_PLAN_PASSES_TD
