// Passes over the graph IR: StableHLO in, StableHLO with composites out.

#ifndef HEDDLE_PASSES_GRAPH_PASSES
#define HEDDLE_PASSES_GRAPH_PASSES

include "mlir/Pass/PassBase.td"

def AssignConvolutionLayout : Pass<"heddle-assign-convolution-layout"> {
  let summary = "Give convolutions channels-last layouts and cancel the transposes that this takes";
  let description = [{
    Rewrites each convolution to `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]` with transposes around it, then moves
    transposes towards the results through element-wise ops, windows, pads, slices, concatenations, broadcasts and
    reductions, where they meet the opposite transpose of the next convolution and cancel.

    ```mlir
    %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1] ...
    %1 = stablehlo.maximum %0, %zeros
    ==>
    %a = stablehlo.transpose %x, dims = [0, 2, 3, 1]
    %b = stablehlo.transpose %w, dims = [2, 3, 1, 0]
    %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f] ...
    %1 = stablehlo.maximum %0, %zeros
    %2 = stablehlo.transpose %1, dims = [0, 3, 1, 2]
    ```

    A module without convolutions is left as it is.
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def FoldScaleIntoWeights : Pass<"heddle-fold-scale-into-weights"> {
  let summary = "Fold batch norms, scales and biases per channel into convolution and matrix-product weights";
  let description = [{
    Turns inference batch norms into a scale and a shift, moves scales per channel into the weights of the convolution
    or product before them and merges biases. All factors must be constants; products of constants stay as ops over
    weight handles, which the packer evaluates.

    ```mlir
    %0 = stablehlo.convolution(%x, %w) ...
    %1 = "stablehlo.batch_norm_inference"(%0, %scale, %offset, %mean, %variance) <{epsilon = 1.0e-05 : f32, feature_index = 1 : i64}> ...
    ==>
    %s = stablehlo.divide %scale, sqrt(%variance + epsilon)
    %0 = stablehlo.convolution(%x, %w * broadcast(%s)) ...
    %1 = stablehlo.add %0, broadcast(%offset - %mean * %s)
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def RecognizeAttention : Pass<"heddle-recognize-attention", "mlir::ModuleOp"> {
  let summary = "Recognize attention and name it as a composite";
  let description = [{
    Replaces softmax(scale * query * key + mask) * value in public functions by `stablehlo.composite "heddle.attention"`.
    The decomposition is a private function with the operations that were found, in the composite's own terms; equal ones
    are shared. Which targets have a kernel for the whole is decided by `heddle-select-composites`.

    ```mlir
    %s = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2]
    %p = softmax(%s)
    %0 = stablehlo.dot_general %p, %v, batching_dims = [0] x [0], contracting_dims = [2] x [1]
    ==>
    %0 = stablehlo.composite "heddle.attention" %q, %k, %v {decomposition = @heddle.attention_0}
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect", "mlir::func::FuncDialect"];
}

def RotateHalves : Pass<"heddle-rotate-halves"> {
  let summary = "Compute rotary position embeddings in one loop";
  let description = [{
    The rotation of the two halves (a, b) of the last dimension reads both by one reversed view instead of slicing and
    joining them. Results are equal, bit for bit.

    ```mlir
    %1 = stablehlo.concatenate -%b, %a
    %2 = %x * %cosine + %1 * %sine
    ==>
    %0 = stablehlo.reshape %x : (tensor<3x8xf32>) -> tensor<3x2x4xf32>
    %1 = stablehlo.reverse %0, dims = [1]
    %2 = stablehlo.reshape %0 * %cosine + %1 * [-1, 1] * %sine
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def Simplify : Pass<"heddle-simplify"> {
  let summary = "Fold what is known and bring operations into their canonical forms";
  let description = [{
    Chains of transposes, reshapes, broadcasts, slices, concatenations and conversions become one operation or none;
    arithmetic with neutral elements goes; computed shapes that are known become attributes; older spellings become
    today's. Operations on constants are evaluated by the reference interpreter where operands and results are at most
    1 MiB; larger weights stay handles. Equal operations are computed once, with fused locations.

    ```mlir
    %0 = stablehlo.transpose %x, dims = [1, 0]
    %1 = stablehlo.transpose %0, dims = [1, 0]
    %2 = stablehlo.multiply %1, %ones
    ==>
    %x
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

def InlineCalls : Pass<"heddle-inline-calls", "mlir::ModuleOp"> {
  let summary = "Put the operations of called functions in place of calls";
  let description = [{
    Calls and composites become the operations of the function that they name, except for composites that the neutral
    form has an operation for (routines and `chlo.erf`) or that a target claims (`DispatchFacts::composites`). Recursion
    is an error.

    ```mlir
    %0 = stablehlo.composite "chlo.square" %x {decomposition = @square}
    ==>
    %0 = stablehlo.multiply %x, %x
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect", "mlir::func::FuncDialect"];
}

def ExpandCustomCalls : Pass<"heddle-expand-custom-calls", "mlir::ModuleOp"> {
  let summary = "Express custom calls that are known by name in StableHLO and composites";
  let description = [{
    What JAX and other exporters leave to a library: factorizations, top-k, annotations of placement. The table is
    `passes/Graph/CustomCalls`. Unknown names are errors, all of them reported.

    ```mlir
    %lu, %pivots, %info = stablehlo.custom_call @lapack_sgetrf_ffi(%a)
    ==>
    %lu, %0, %permutation = stablehlo.composite "heddle.lu" %a {decomposition = @heddle.lu.f32_3x3}
    %pivots = stablehlo.add %0, %one
    %info = stablehlo.constant dense<0> : tensor<i32>
    ```
  }];
  let dependentDialects = ["heddle::chlo::ChloDialect", "heddle::stablehlo::StableHloDialect", "mlir::func::FuncDialect"];
}

def FoldCollectives : Pass<"heddle-fold-collectives", "mlir::ModuleOp"> {
  let summary = "Give collectives the meaning that they have on one device, and refuse those of more";
  let description = [{
    On one device every group holds that device alone: gathering, reducing and broadcasting give the operand, numbers of
    replica and partition are zero, and what is begun asynchronously may run at once. Groups of more devices, and transfers
    between devices or to the host, are errors that say what to do.

    ```mlir
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({...})
    %1 = stablehlo.replica_id : tensor<ui32>
    ==>
    %1 = stablehlo.constant dense<0> : tensor<ui32>
    ```
  }];
  let dependentDialects = ["heddle::stablehlo::StableHloDialect"];
}

#endif // HEDDLE_PASSES_GRAPH_PASSES
