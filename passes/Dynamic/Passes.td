// Passes over sizes that calls choose.

#ifndef HEDDLE_PASSES_DYNAMIC_PASSES
#define HEDDLE_PASSES_DYNAMIC_PASSES

include "mlir/Pass/PassBase.td"

def BoundDimensions : Pass<"heddle-bound-dimensions", "mlir::ModuleOp"> {
  let summary = "Compute on tensors of the bounds, and keep out what lies beyond the true extents";
  let description = [{
    Takes the true extents out of types and attributes; they become values, and operations that would see what lies
    beyond them are masked. First each operation's rule is asked again whether the types say the truth. An attention
    stays one: it is told how many keys there are. What passes before could not do with open sizes is done afterwards.
    A module without `heddle.symbols` is left as it is.

    ```mlir
    %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8xf32, #size.extents<n>>, tensor<f32>) -> tensor<f32>
    ==>
    %1 = stablehlo.compare LT, %positions, %n : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi1>
    %2 = stablehlo.select %1, %x, %zeros : tensor<8xi1>, tensor<8xf32>
    %0 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0]
        : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
    ```
  }];
  let dependentDialects = ["heddle::chlo::ChloDialect", "heddle::stablehlo::StableHloDialect", "mlir::func::FuncDialect"];
}

#endif // HEDDLE_PASSES_DYNAMIC_PASSES
