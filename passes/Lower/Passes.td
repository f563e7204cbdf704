// From StableHLO to roots and loops on tensors.

#ifndef HEDDLE_PASSES_LOWER_PASSES_TD
#define HEDDLE_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineComposites : Pass<"heddle-inline-composites", "::mlir::ModuleOp"> {
  let summary = "replaces composites that have no kernel by their decomposition";
  let description = [{
    Composites with a kernel (`heddle.attention`) or a scalar payload
    (`chlo.erf`) stay. Calls of functions are inlined too. The inlined ops have
    the location of what they replace, since that is the user's node.

    ```mlir
    %0 = stablehlo.composite "heddle.silu" %x {decomposition = @silu} : (tensor<4xf32>) -> tensor<4xf32>
    ```
    ==>
    ```mlir
    %1 = stablehlo.logistic %x : tensor<4xf32>
    %0 = stablehlo.multiply %x, %1 : tensor<4xf32>
    ```
  }];
}

def SplitComplex : Pass<"heddle-split-complex", "::mlir::ModuleOp"> {
  let summary = "complex tensors as two real tensors each";
  let description = [{
    After it `@main` holds no complex type: complex arguments, results and
    constants are real tensors with one more dimension of 2, as they lie in
    memory; values inside are pairs, in regions and loops too. Costly functions
    become composites `heddle.complex_<name>` over parts, whose decomposition is
    the formula.

    ```mlir
    func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
      %0 = stablehlo.negate %x : tensor<4xcomplex<f32>>
    ```
    ==>
    ```mlir
    func.func @main(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
      %re = ... slice of %x, its last dimension at 0
      %im = ... slice of %x, its last dimension at 1
      %0 = stablehlo.negate %re : tensor<4xf32>
      %1 = stablehlo.negate %im : tensor<4xf32>
      %2 = stablehlo.concatenate ... : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::heddle::chlo::ChloDialect"];
}

def LowerGraph : Pass<"heddle-lower-graph", "::mlir::ModuleOp"> {
  let summary = "StableHLO to linalg.generic and the roots of the kernel dialect";
  let description = [{
    Every op becomes a `linalg.generic`, a root, or a reshape. All ops that
    cannot be lowered are reported, each by its node and with the reason.
  }];
  let dependentDialects = [
    "::heddle::kernel::KernelDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // HEDDLE_PASSES_LOWER_PASSES_TD
