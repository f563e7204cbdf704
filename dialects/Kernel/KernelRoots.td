// Roots with arithmetic: contraction, convolution, attention, windows.

#ifndef HEDDLE_DIALECTS_KERNEL_KERNELROOTS_TD
#define HEDDLE_DIALECTS_KERNEL_KERNELROOTS_TD

include "dialects/Kernel/KernelDialect.td"
include "dialects/Size/SizeAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// Of roots that multiply.
defvar elementTypes = [{
    /// Element types of the operands, as the model has them.
    ::mlir::Type getLhsElement();
    ::mlir::Type getRhsElement();
    /// What products are summed in.
    ::mlir::Type getSumElement();
}];

def Kernel_SizeOp : Kernel_Op<"size", [Pure]> {
  let summary = "a size that each call chooses";
  let description = [{
    A function of symbols, whose values the operands hold, in the order of
    their names: arguments of the
    program with `heddle.extent`. It is known before the call starts, so that
    launches are given it (64 bits) and do not wait for it.

    ```mlir
    %rows = kernel.size <4 * batch>(%batch) : tensor<i32>
    ```
  }];
  let arguments = (ins Size_ExpressionAttr:$function, Variadic<AnyRankedTensor>:$symbols);
  let results = (outs Index:$result);
  let assemblyFormat =
      "$function `(` $symbols `)` attr-dict (`:` type($symbols)^)?";
  let hasVerifier = 1;
}

def Kernel_ContractOp : Kernel_Op<"contract", [Pure]> {
  let summary = "a (batched) matrix product";
  let description = [{
    `out[...] = sum over the reduction dimensions of lhs[...] * rhs[...]`,
    from zero. `indexing_maps` holds the maps of lhs, rhs and out over the
    iteration dimensions, `iterator_types` says which of them are summed
    ("reduction"). A dimension of both inputs and the output is a *batch*
    dimension, of lhs and out *m*, of rhs and out *n*, of lhs and rhs *k*.
    There may be any number of each, also none.

    The maps of lhs and rhs are linear (`linearAccess` in LinearAccess.h): a
    transpose, a slice or a split dimension of an operand costs nothing. The
    map of out is a permutation of the parallel dimensions, which is how they
    get their extents; a reduction dimension gets its extent from an operand
    that is indexed by it alone (`extents` says them all).

    With `rhs_packing = "* k n -> * n/32 k n%32"` rhs is stored as that packing says of
    `[batch..., K, N]`, where N and K are the products of the n and k extents,
    row-major in the order in which rhs's map names them; the map then has a
    plain dimension per result: batch, n, k.

    Products are summed in `accumulator`, a float type, and rounded to the
    result's once; without it they are summed in the result's element type.
    `lhs_type` and `rhs_type` say what elements are in the model where tensors
    hold them as other bits: unsigned integers in those of their width; behind
    the fork, where the target's kernels do not hold them, floats of a byte or
    less and integers of less than a byte in i8. Which combinations of types a
    kernel takes is the target's to say (`DispatchFacts`).

    `limits` says of the dimensions in `limited`, which are in ascending order,
    how far they run in this call: from 0 to the limit, which is between 0 and
    the extent. A sum has only the products below the limits of its reduction
    dimensions, whatever the operands hold beyond, and is zero where there are
    none. What the result holds at or beyond the limit of another dimension is
    not specified, and it may not be read for anything that matters: kernels
    leave it out, write it or write part of it. Without a limit a dimension runs
    to its extent.

    `precision` (two of StableHLO's, for lhs and rhs) and `algorithm`
    (`#stablehlo.dot_algorithm`) say how exact the model wants products to be:
    at least so exact they are. Neither is there where the model asks for
    nothing, nor, behind the fork, where no kernel of the target has the choice.
    An algorithm that wants its sums in f64 has that as `accumulator`.

    ```mlir
    %0 = kernel.contract %x, %w limits(%length) {limited = array<i64: 1>,
      extents = array<i64: 1, 128, 3072, 768>,
      indexing_maps = [affine_map<(b, m, n, k) -> (b, m, k)>,
                       affine_map<(b, m, n, k) -> (n, k)>,
                       affine_map<(b, m, n, k) -> (b, m, n)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"],
      rhs_packing = "* k n -> * n/32 k n%32"
    } : tensor<1x128x768xf32>, tensor<96x768x32xf32> -> tensor<1x128x3072xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$lhs,
    AnyRankedTensor:$rhs,
    Variadic<Index>:$limits,
    DenseI64ArrayAttr:$extents,
    AffineMapArrayAttr:$indexing_maps,
    StrArrayAttr:$iterator_types,
    OptionalAttr<StrAttr>:$rhs_packing,
    OptionalAttr<TypeAttr>:$lhs_type,
    OptionalAttr<TypeAttr>:$rhs_type,
    OptionalAttr<TypeAttr>:$accumulator,
    OptionalAttr<ArrayAttr>:$precision,
    OptionalAttr<AnyAttr>:$algorithm,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$limited);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$lhs `,` $rhs (`limits` `(` $limits^ `)`)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = elementTypes # [{
    ::mlir::AffineMap getLhsMap();
    ::mlir::AffineMap getRhsMap();
    ::mlir::AffineMap getOutMap();
    /// Iteration dimensions by role. n and k are in the order of rhs's map
    /// (which is the order of packing), batch and m in that of out's.
    struct Dims {
      ::llvm::SmallVector<unsigned> batch, m, n, k;
    };
    Dims getDims();
    /// How far a dimension runs in this call; null if to its extent.
    ::mlir::Value getLimit(unsigned dim);
    /// With other limits, by dimension.
    void setLimits(::llvm::ArrayRef<std::pair<unsigned, ::mlir::Value>> limits);
  }];
}

def Kernel_ConvolutionOp : Kernel_Op<"convolution", [Pure]> {
  let summary = "a convolution, channels last";
  let description = [{
    Input `[N, spatial..., Ci]`, weights `[kernel..., Ci/groups, Co]`, result
    `[N, spatial..., Co]`, with one to three spatial dimensions. Group g reads
    input channels `[g * Ci/groups, ...)` and writes output channels
    `[g * Co/groups, ...)`; depthwise is `groups = Ci`, weights
    `[kernel..., 1, Co]`, never packed.

    Attributes per spatial dimension: `strides`; `padding` (low, high; not negative);
    `lhs_dilation` (zeros between input points: a transposed convolution);
    `rhs_dilation` (of the kernel). Padding is skipped, not stored.

    `weights_packing = "* i (g=1 o) -> g o/32 * i o%32"` (or with `g=G` for G groups): weights are
    stored as `[groups, ceil((Co/groups)/32), kernel..., Ci/groups, 32]`.

    Element types, `accumulator` and `precision` as for `kernel.contract`;
    `lhs_type` is the input's.

    ```mlir
    %0 = kernel.convolution %x, %w {
      strides = array<i64: 2, 2>, padding = array<i64: 3, 3, 3, 3>,
      lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>,
      groups = 1 : i64, weights_packing = "* i (g=1 o) -> g o/32 * i o%32"
    } : tensor<1x224x224x3xf32>, tensor<1x2x7x7x3x32xf32> -> tensor<1x112x112x64xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$input,
    AnyRankedTensor:$weights,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$padding,
    DenseI64ArrayAttr:$lhs_dilation,
    DenseI64ArrayAttr:$rhs_dilation,
    I64Attr:$groups,
    OptionalAttr<StrAttr>:$weights_packing,
    OptionalAttr<TypeAttr>:$lhs_type,
    OptionalAttr<TypeAttr>:$rhs_type,
    OptionalAttr<TypeAttr>:$accumulator,
    OptionalAttr<ArrayAttr>:$precision);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat =
      "$input `,` $weights attr-dict `:` type($input) `,` type($weights) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = elementTypes # [{
    unsigned getNumSpatialDims() { return getStrides().size(); }
    /// Extents of the kernel's window, also when the weights are packed.
    ::llvm::SmallVector<int64_t> getKernelExtents();
    bool isDepthwise();
  }];
}

def Kernel_AttentionOp : Kernel_Op<"attention", [Pure, AttrSizedOperandSegments]> {
  let summary = "scaled dot-product attention";
  let description = [{
    Over the iteration dimensions (batch..., m, n, d, e), any number of batch
    dimensions (heads too), with all maps linear:

    ```
    s[.., m, n]   = scale * sum_d query[.., m, d] * key[.., n, d] + mask[.., m, n]
    top[.., m]    = max(max_n s, sink)
    p[.., m, n]   = exp(s - top);   sum[.., m] = sum_n p + exp(sink - top)
    out[.., m, e] = sum_n p * value[.., n, e] / sum;   log_sum_exp[.., m] = top + log(sum)
    ```

    `extents` are those of the iteration dimensions, `indexing_maps` the maps
    of query, key, value, then of mask, lengths and sink if there are any, and
    of out (a permutation of the batch dimensions, m and e). The maps say any
    layout: heads before or after positions, a slice of a merged projection, a
    key shared by several heads (a batch dimension that key's map does not
    name).

    A score is -infinity where its key does not count:

    - An i1 mask keeps the score where true; another mask is added.
    - `lengths`, i32 or i64 over batch dimensions, gives L, how many keys there
      are, as clamp(L, 0, N); without it L is N. Keys n >= L do not
      count, whatever lies there.
    - Query m stands at position m + (L - M): the last query beside the last
      key, however many keys more (or fewer) than queries there are.
      `causal` drops keys behind that position, n > m + (L - M), and `window`
      those that are not less than so many places before it,
      m + (L - M) - n >= window.

    `sink` is a score without a key or value, over batch dimensions; it stands
    in the sum alone. Without one, its terms are missing above.

    A row of which every key is dropped has NaN as its results and NaN as its
    logarithm, unless it has a sink: then out is 0. With `zero_nan_rows` the
    weights of a row whose sum is NaN are zero instead, and its logarithm is
    -infinity. Values at keys that mask, causal or window drop must be finite.

    `limits` says of the batch dimensions and m in `limited` how far they run in
    this call, as those of `kernel.contract` do: what the results hold beyond is
    not specified.

    `keys` is the true extent of n where keys and values lie in tensors that
    have room for more (a cache): N is that in all of the above.

    Queries and keys have one element type, values may have another. Scores,
    their softmax and the sums of values are computed in `accumulator`, a float
    type, and rounded to the result's once; without it in the result's element
    type. `log_sum_exp` is f32 of shape [batch.., M], the natural logarithm.

    `score_precision` and `score_algorithm` are the `precision` and `algorithm`
    (`kernel.contract`) of the product of queries and keys, `value_precision`
    and `value_algorithm` those of the product of weights and values: a model
    may ask for other exactness of each.

    ```mlir
    %0 = kernel.attention %q, %k, %v mask %mask {
      extents = array<i64: 1, 12, 128, 128, 64, 64>,
      indexing_maps = [affine_map<(b, h, m, n, d, e) -> (b, m, h, d)>,
                       affine_map<(b, h, m, n, d, e) -> (b, n, h, d)>,
                       affine_map<(b, h, m, n, d, e) -> (b, n, h, e)>,
                       affine_map<(b, h, m, n, d, e) -> (b, 0, 0, n)>,
                       affine_map<(b, h, m, n, d, e) -> (b, m, h, e)>],
      scale = 1.250000e-01 : f32
    } : tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x128x12x64xf32>, tensor<1x1x1x128xf32> -> tensor<1x128x12x64xf32>
    %1, %l = kernel.attention %q, %k, %v lengths %n sink %s {...}
      : tensor<4x1x64xf32>, tensor<4x512x64xf32>, tensor<4x512x64xf32> lengths tensor<4xi32> sink tensor<4xf32> -> tensor<4x1x64xf32>, tensor<4x1xf32>
    ```
  }];
  let arguments = (ins
    AnyRankedTensor:$query,
    AnyRankedTensor:$key,
    AnyRankedTensor:$value,
    Optional<AnyRankedTensor>:$mask,
    Optional<AnyRankedTensor>:$lengths,
    Optional<AnyRankedTensor>:$sink,
    Variadic<Index>:$limits,
    DenseI64ArrayAttr:$extents,
    AffineMapArrayAttr:$indexing_maps,
    F32Attr:$scale,
    UnitAttr:$causal,
    OptionalAttr<I64Attr>:$window,
    UnitAttr:$zero_nan_rows,
    OptionalAttr<TypeAttr>:$accumulator,
    OptionalAttr<ArrayAttr>:$score_precision,
    OptionalAttr<AnyAttr>:$score_algorithm,
    OptionalAttr<ArrayAttr>:$value_precision,
    OptionalAttr<AnyAttr>:$value_algorithm,
    OptionalAttr<Size_ExpressionAttr>:$keys,
    DefaultValuedOptionalAttr<DenseI64ArrayAttr, "{}">:$limited);
  let results = (outs AnyRankedTensor:$result, Optional<AnyRankedTensor>:$log_sum_exp);
  let assemblyFormat = [{
    $query `,` $key `,` $value (`mask` $mask^)? (`lengths` $lengths^)? (`sink` $sink^)?
    (`limits` `(` $limits^ `)`)? attr-dict `:` type($query) `,` type($key) `,` type($value) (`,` type($mask)^)? (`lengths` type($lengths)^)? (`sink` type($sink)^)?
    `->` type($result) (`,` type($log_sum_exp)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = elementTypes # [{
    ::mlir::AffineMap getQueryMap();
    ::mlir::AffineMap getKeyMap();
    ::mlir::AffineMap getValueMap();
    /// Null without the operand.
    ::mlir::AffineMap getMaskMap();
    ::mlir::AffineMap getLengthsMap();
    ::mlir::AffineMap getSinkMap();
    ::mlir::AffineMap getOutMap();
    unsigned getNumBatchDims() { return getExtents().size() - 4; }
    /// Operands with maps, which come before the limits.
    unsigned getNumTensors() { return getNumOperands() - getLimits().size(); }
    /// How far a dimension runs in this call; null if to its extent.
    ::mlir::Value getLimit(unsigned dim);
    /// With other limits, by dimension.
    void setLimits(::llvm::ArrayRef<std::pair<unsigned, ::mlir::Value>> limits);
  }];
}

def Kernel_ReduceWindowOp : Kernel_Op<"reduce_window", [
    Pure, IsolatedFromAbove, AttrSizedOperandSegments, SingleBlock]> {
  let summary = "reduces the window around each point";
  let description = [{
    `inits` are scalars, one per input. All attributes have one entry per dimension of the inputs
    (`padding` a low and a high one); padding is skipped, so that a point whose
    window is all padding gives the initial value. The region combines what was
    reduced so far with one element: its arguments are the accumulators, then
    the elements. Elements come in row-major order of the window.

    ```mlir
    %0 = kernel.reduce_window inputs(%x) inits(%zero) {
      window = array<i64: 1, 3, 3, 1>, strides = array<i64: 1, 2, 2, 1>,
      padding = array<i64: 0, 0, 1, 1, 1, 1, 0, 0>,
      base_dilations = array<i64: 1, 1, 1, 1>, window_dilations = array<i64: 1, 1, 1, 1>
    } : (tensor<1x112x112x64xf32>, f32) -> tensor<1x56x56x64xf32> {
    ^bb0(%acc: f32, %in: f32):
      %m = arith.maximumf %acc, %in : f32
      kernel.yield %m : f32
    }
    ```
  }];
  let arguments = (ins
    Variadic<AnyRankedTensor>:$inputs,
    Variadic<AnyType>:$inits,
    DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$padding,
    DenseI64ArrayAttr:$base_dilations,
    DenseI64ArrayAttr:$window_dilations);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `inputs` `(` $inputs `)` `inits` `(` $inits `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

#endif // HEDDLE_DIALECTS_KERNEL_KERNELROOTS_TD
