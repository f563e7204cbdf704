// From roots and loops to kernels and weights.

#ifndef HEDDLE_PASSES_DISPATCH_PASSES_TD
#define HEDDLE_PASSES_DISPATCH_PASSES_TD

include "mlir/Pass/PassBase.td"

def EvaluateConstants : Pass<"heddle-evaluate-constants", "::mlir::ModuleOp"> {
  let summary = "evaluates what depends on constants alone and is no weight program";
  let description = [{
    Weight programs hold what the packer can evaluate piece by piece. A gather,
    a reduction or a slice at computed places of constants is evaluated here, as
    a whole, by the reference interpreter, if it and what it is made from are
    small enough. What is too large stays work of each call, with a remark.

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

def FuseElementwise : Pass<"heddle-fuse-elementwise", "::mlir::func::FuncOp"> {
  let summary = "fuses elementwise chains, and folds views into those who read through them";
  let description = [{
    A generic that only moves elements (a broadcast, a transpose, a slice), and
    a reshape that splits dimensions, become part of the indexing maps of their
    readers: generics, contractions, attention. An elementwise producer is
    computed inside its only reader; with several readers only what is cheaper
    than reading it from memory. A producer that can be the epilogue of a
    contraction or a convolution is left to it where its reader could not.

    ```mlir
    %0 = linalg.generic ... ins(%x) { %e = math.exp %in ... }
    %1 = linalg.generic ... ins(%0, %y) { %s = arith.addf %in, %in_0 ... }
    ```
    ==>
    ```mlir
    %1 = linalg.generic ... ins(%x, %y) { %e = math.exp %in  %s = arith.addf %e, %in_0 ... }
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect"];
}

def PackWeights : Pass<"heddle-pack-weights", "::mlir::ModuleOp"> {
  let summary = "gives weights the layout that contractions and convolutions read fastest";
  let description = [{
    The right-hand side of a contraction becomes `n32k1`, the weights of a
    convolution `o32`, by a program that ends in the transpose that is needed.

    ```mlir
    %w = kernel.weight_ref @w0 : tensor<768x3072xf32>
    %0 = kernel.contract %x, %w {...}
    ```
    ==>
    ```mlir
    %w = kernel.weight_ref @w1 : tensor<96x768x32xf32>
    %0 = kernel.contract %x, %w {... rhs_packing = "n32k1"}
    ```
  }];
}

def FormDispatches : Pass<"heddle-form-dispatches", "::mlir::func::FuncOp"> {
  let summary = "groups ops into dispatches";
  let description = [{
    A contraction, convolution or attention with the elementwise generic that
    follows it; generics that share their rows (softmax, norms); everything
    else alone.
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect"];
}

def OutlineDispatches : Pass<"heddle-outline-dispatches", "::mlir::ModuleOp"> {
  let summary = "makes kernel functions of dispatches; equal ones become one";
  let description = [{
    Two dispatches are equal when they are without locations. The launches keep
    the locations.

    ```mlir
    %0 = kernel.dispatch(%a = %x : tensor<4xf32>) -> tensor<4xf32> {...}
    ```
    ==>
    ```mlir
    func.func private @k0(%a: tensor<4xf32>) -> tensor<4xf32> attributes {kernel.entry} {...}
    %0 = kernel.launch @k0(%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::heddle::kernel::KernelDialect", "::mlir::func::FuncDialect"];
}

def VerifyDispatched : Pass<"heddle-verify-dispatched", "::mlir::ModuleOp"> {
  let summary = "states what holds after heddle-dispatch: no tensor op outside a kernel";
  let description = [{
    Changes nothing. What is left outside of kernels, weights, launches and control flow is named, with its node, as not supported; so that
    later stages need not ask.
  }];
}

#endif // HEDDLE_PASSES_DISPATCH_PASSES_TD
