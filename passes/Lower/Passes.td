// From StableHLO to roots and loops on tensors.

#ifndef HEDDLE_PASSES_LOWER_PASSES_TD
#define HEDDLE_PASSES_LOWER_PASSES_TD

include "mlir/Pass/PassBase.td"

def InlineComposites : Pass<"heddle-inline-composites", "::mlir::ModuleOp"> {
  let summary = "replaces composites by their decomposition, in a region where a target may have a kernel for the whole";
  let description = [{
    Routines and scalar payloads (`chlo.erf`) stay. What a target claims
    (`DispatchFacts::composites`), such as `heddle.attention`, becomes a
    `kernel.composite`, which keeps name and parameters beside the operations.
    Calls of functions are inlined too. The inlined ops have
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
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def SplitComplex : Pass<"heddle-split-complex", "::mlir::ModuleOp"> {
  let summary = "complex tensors as two real tensors each";
  let description = [{
    After it `@main` holds no complex type: complex arguments, results and
    constants are real tensors with one more dimension of 2, as they lie in
    memory, and `heddle.type` says what callers see; values inside are pairs, in
    regions and loops too. Costly functions become composites
    `heddle.complex_<name>` over parts, whose decomposition is the formula.

    ```mlir
    func.func @main(%x: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
      %0 = stablehlo.negate %x : tensor<4xcomplex<f32>>
    ```
    ==>
    ```mlir
    func.func @main(%x: tensor<4x2xf32> {heddle.type = tensor<4xcomplex<f32>>}) -> (tensor<4x2xf32> {heddle.type = tensor<4xcomplex<f32>>}) {
      %re = ... slice of %x, its last dimension at 0
      %im = ... slice of %x, its last dimension at 1
      %0 = stablehlo.negate %re : tensor<4xf32>
      %1 = stablehlo.negate %im : tensor<4xf32>
      %2 = stablehlo.concatenate ... : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
    ```
  }];
  let dependentDialects = ["::heddle::chlo::ChloDialect"];
}

def EvaluateConstants : Pass<"heddle-evaluate-constants", "::mlir::ModuleOp"> {
  let summary = "evaluates what depends on constants alone and is no weight program, or would begin many";
  let description = [{
    Weight programs hold what the packer can evaluate piece by piece. A gather,
    a reduction or a slice at computed places of constants is evaluated here, as
    a whole, by the reference interpreter, if it and what it is made from are
    small enough. What is too large stays work of each call, with a remark.

    A value that takes more than 16 operations and that several others are
    computed from, stored or read, is evaluated too: the program of each would
    hold all of its operations, those of a chain as many as the chain is long.

    ```mlir
    %0 = stablehlo.constant dense<[1.0, 2.0, 4.0]> : tensor<3xf32>
    %1 = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.reduce(%0 init: %1) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    ```
    ==>
    ```mlir
    %2 = stablehlo.constant dense<7.0> : tensor<f32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "int64_t", "67108864",
           "Bytes of the largest tensor that takes part">,
    Option<"maxTotalBytes", "max-total-bytes", "int64_t", "268435456",
           "Bytes of all results: they are held in memory until they are written">
  ];
  let dependentDialects = ["::heddle::stablehlo::StableHloDialect"];
}

def FormWeights : Pass<"heddle-form-weights", "::mlir::ModuleOp"> {
  let summary = "moves what is computed from constants alone into kernel.weight programs";
  let description = [{
    The largest subgraphs over constants become symbols that the packer
    evaluates. What only repeats a constant (broadcasts, splats) stays in the
    graph, where it costs nothing. Equal programs become one weight.

    ```mlir
    %c = stablehlo.constant dense_resource<w> : tensor<4x8xf32>
    %t = stablehlo.transpose %c, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
    %0 = stablehlo.add %x, %t : tensor<8x4xf32>
    ```
    ==>
    ```mlir
    kernel.weight @w0 : tensor<8x4xf32> { ... }
    %t = kernel.weight_ref @w0 : tensor<8x4xf32>
    %0 = stablehlo.add %x, %t : tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def LowerGraph : Pass<"heddle-lower-graph", "::mlir::ModuleOp"> {
  let summary = "StableHLO to linalg.generic and the roots of the kernel dialect";
  let description = [{
    Every op becomes a `linalg.generic`, a root, or a reshape. All ops that
    cannot be lowered are reported, each by its node and with the reason. Tensors
    have no signs any more; where an argument or result had one, `heddle.type`
    says what callers see.
  }];
  let dependentDialects = [
    "::heddle::kernel::KernelDialect", "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

def VerifyLowered : Pass<"heddle-verify-lowered", "::mlir::ModuleOp"> {
  let summary = "states what holds after heddle-lower: roots and loops on logical tensors, for no target";
  let description = [{
    Changes nothing. The module names no target; no weight and no root is packed;
    nothing is dispatched; quantization is prec.quantize and prec.dequantize; of StableHLO only loops, branches and calls of the
    user's functions are left outside of weight programs.
  }];
}

#endif // HEDDLE_PASSES_LOWER_PASSES_TD
