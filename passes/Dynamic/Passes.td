// Passes over sizes that calls choose.

#ifndef HEDDLE_PASSES_DYNAMIC_PASSES
#define HEDDLE_PASSES_DYNAMIC_PASSES

include "mlir/Pass/PassBase.td"

def BoundDimensions : Pass<"heddle-bound-dimensions", "mlir::ModuleOp"> {
  let summary = "Compute over true extents, or over the bounds with what lies beyond kept out";
  let description = [{
    Each operation's rule is asked again whether the types say the truth. Where kernels run over the true extents of
    an operation, types keep them, and nothing is done but to hold computed positions within them. Any other operation
    is computed over the bound: its operands are spread to tensors of the bound, its results are packed, and between
    both, extents are taken out of types and attributes, become values, and what would see what lies beyond them is
    masked. A remark names these operations. With `masks-all` this is done to all operations, with those of arguments and
    results. An attention stays one: it is told how many keys there are. What passes before could not do with open sizes
    is done afterwards. A module without `heddle.symbols` is left as it is.

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
  let options = [Option<"masksAll", "masks-all", "bool", "false", "mask operations that kernels compute over true extents, too">];
  let dependentDialects = ["heddle::chlo::ChloDialect", "heddle::stablehlo::StableHloDialect", "mlir::func::FuncDialect"];
}

#endif // HEDDLE_PASSES_DYNAMIC_PASSES
