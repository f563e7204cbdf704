// Roots that move data: concatenation, padding, updates, scatter, sorting.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELDATAROOTS_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELDATAROOTS_TD

include "dialects/Kernel/KernelDialect.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Kernel_ConcatenateOp : Kernel_Op<"concatenate", [Pure]> {
  let summary = "joins tensors along one dimension";
  let description = [{
    ```mlir
    %0 = kernel.concatenate %a, %b {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dimension);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $result)";
  let hasVerifier = 1;
}

def Kernel_PadOp : Kernel_Op<"pad", [Pure]> {
  let summary = "surrounds a tensor with one value";
  let description = [{
    Per dimension: `low` and `high` points around, `interior` ones between any
    two. Negative `low` and `high` cut off points. `padding` is a scalar.

    ```mlir
    %0 = kernel.pad %x, %zero {low = array<i64: 0, 1>, high = array<i64: 0, 2>, interior = array<i64: 0, 0>} : tensor<2x3xf32>, f32 -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyType:$padding,
    DenseI64ArrayAttr:$low,
    DenseI64ArrayAttr:$high,
    DenseI64ArrayAttr:$interior);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `,` $padding attr-dict `:` type($input) `,` type($padding) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_DynamicUpdateSliceOp : Kernel_Op<"dynamic_update_slice", [Pure]> {
  let summary = "replaces a part of a tensor, in its place";
  let description = [{
    `target` is an argument of the kernel function that is tied to the
    result: only the update is written. `starts` are integer tensors of rank 0, one per
    dimension, clamped so that the update stays inside.

    ```mlir
    %0 = kernel.dynamic_update_slice %cache, %x, (%i, %j) : tensor<64x8xf32>, tensor<1x8xf32>, (tensor<i64>, tensor<i64>) -> tensor<64x8xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$target,
    AnyRankedTensor:$update,
    Variadic<AnyRankedTensor>:$starts);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $target `,` $update `,` `(` $starts `)` attr-dict `:` type($target) `,` type($update) `,` `(` type($starts) `)` `->` type($result)
  }];
  let hasVerifier = 1;
}

def Kernel_ScatterOp : Kernel_Op<"scatter", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "combines updates into places given by indices";
  let description = [{
    With the meaning and the attributes of `stablehlo.scatter`: an update whose
    window would leave the target is skipped, updates are taken in row-major
    order. `targets` are arguments tied to the results, in order. The region
    combines scalars: the elements there, then the updates.

    ```mlir
    %0 = kernel.scatter targets(%x) indices(%i) updates(%u) {
      update_window_dims = array<i64: 1>, inserted_window_dims = array<i64: 0>,
      input_batching_dims = array<i64>, scatter_indices_batching_dims = array<i64>,
      scatter_dims_to_operand_dims = array<i64: 0>, index_vector_dim = 1 : i64
    } : (tensor<10x4xf32>, tensor<3x1xi64>, tensor<3x4xf32>) -> tensor<10x4xf32> {
    ^bb0(%old: f32, %new: f32):
      kernel.yield %new : f32
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$targets,
    AnyRankedTensor:$indices,
    Variadic<AnyRankedTensor>:$updates,
    DenseI64ArrayAttr:$update_window_dims,
    DenseI64ArrayAttr:$inserted_window_dims,
    DenseI64ArrayAttr:$input_batching_dims,
    DenseI64ArrayAttr:$scatter_indices_batching_dims,
    DenseI64ArrayAttr:$scatter_dims_to_operand_dims,
    I64Attr:$index_vector_dim,
    UnitAttr:$indices_are_sorted,
    UnitAttr:$unique_indices);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `targets` `(` $targets `)` `indices` `(` $indices `)` `updates` `(` $updates `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

def Kernel_SortOp : Kernel_Op<"sort", [
    Pure, IsolatedFromAbove, SameOperandsAndResultShape, SingleBlock]> {
  let summary = "sorts along one dimension";
  let description = [{
    Sorts all inputs together. The region says whether the first goes before
    the second: its arguments are, input by input, the two scalars. The order
    of equals is kept. With `first`, only that many of the sorted elements along
    the dimension are given; what lies behind them is never read, and may be
    anything.

    ```mlir
    %0:2 = kernel.sort %keys, %ids {dimension = 1 : i64} : (tensor<2x9xf32>, tensor<2x9xi32>) -> (tensor<2x9xf32>, tensor<2x9xi32>) {
    ^bb0(%a: f32, %b: f32, %ia: i32, %ib: i32):
      %less = arith.cmpf olt, %a, %b : f32
      kernel.yield %less : i1
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, I64Attr:$dimension, OptionalAttr<I64Attr>:$first);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat =
      "$inputs attr-dict `:` functional-type($inputs, $outputs) $body";
  let hasVerifier = 1;
}

def Kernel_TopKOp : Kernel_Op<"top_k", [Pure]> {
  let summary = "the largest elements of each row, in falling order";
  let description = [{
    Along the last dimension; of equal elements the one with the smaller index
    comes first, NaN counts as largest. K is the last extent of the results.

    ```mlir
    %v, %i = kernel.top_k %x : tensor<2x50xf32> -> tensor<2x5xf32>, tensor<2x5xi32>
    ```
  }];
  let arguments = (ins AnyRankedTensor:$input);
  let results = (outs AnyRankedTensor:$values, AnyRankedTensor:$indices);
  let assemblyFormat =
      "$input attr-dict `:` type($input) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_KERNEL_KERNELDATAROOTS_TD
