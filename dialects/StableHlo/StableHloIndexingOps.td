// Operations that read or write at positions known only when running, and sort.

#ifndef HEDDLE_STABLEHLO_INDEXING_OPS
#define HEDDLE_STABLEHLO_INDEXING_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_DynamicSliceOp : StableHlo_InferredOp<"dynamic_slice", [Pure]> {
  let summary = "a box of fixed size at a computed position, moved inside the operand";
  let arguments = (ins SH_Tensor:$operand, Variadic<SH_IntTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<VariadicOperandWithAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict `:`
      functional-type(operands, results)
  }];
}

def StableHlo_DynamicUpdateSliceOp : StableHlo_InferredOp<"dynamic_update_slice", [Pure]> {
  let summary = "the operand with a box at a computed position replaced";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$update, Variadic<SH_IntTensor>:$start_indices);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def StableHlo_GatherOp : StableHlo_InferredOp<"gather", [Pure]> {
  let summary = "slices of the operand at computed positions";
  let arguments = (ins SH_Tensor:$operand, SH_IndexTensor:$start_indices,
                       StableHlo_GatherDimensionNumbersAttr:$dimension_numbers, DenseI64ArrayAttr:$slice_sizes,
                       SH_BoolFalse:$indices_are_sorted);
  let results = (outs SH_Tensor:$result);
}

def StableHlo_ScatterOp : StableHlo_InferredOp<"scatter", [RecursiveMemoryEffects, SameVariadicOperandSize,
                                                           SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "inputs combined with updates at computed positions";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, SH_IndexTensor:$scatter_indices, Variadic<SH_Tensor>:$updates,
                       StableHlo_ScatterDimensionNumbersAttr:$scatter_dimension_numbers,
                       SH_BoolFalse:$indices_are_sorted, SH_BoolFalse:$unique_indices);
  let regions = (region SizedRegion<1>:$update_computation);
  let results = (outs Variadic<SH_Tensor>:$results);
  let hasVerifier = 1;
}

def StableHlo_SortOp : StableHlo_InferredOp<"sort", [RecursiveMemoryEffects, SameOperandsAndResultShape]> {
  let summary = "tensors sorted together along a dimension by a comparator";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, DefaultValuedOptionalAttr<SH_I64Attr, "-1">:$dimension,
                       SH_BoolFalse:$is_stable);
  let regions = (region SizedRegion<1>:$comparator);
  let results = (outs Variadic<SH_Tensor>:$results);
  let hasVerifier = 1;
}

#endif // HEDDLE_STABLEHLO_INDEXING_OPS
