// Operations that combine many elements by a region, and normalisation over batches.

#ifndef HEDDLE_STABLEHLO_REDUCTION_OPS
#define HEDDLE_STABLEHLO_REDUCTION_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_ReduceOp : StableHlo_InferredOp<"reduce", [RecursiveMemoryEffects, SameVariadicOperandSize,
                                                         SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "elements combined along dimensions";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<SH_Tensor>);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def StableHlo_ReduceWindowOp : StableHlo_InferredOp<"reduce_window", [RecursiveMemoryEffects, SameVariadicOperandSize,
                                                                      SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "elements combined in sliding windows";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, Variadic<SH_Tensor>:$init_values,
                       DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                       OptionalAttr<DenseI64ArrayAttr>:$base_dilations,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs Variadic<SH_Tensor>);
  let extraClassDeclaration = [{
    /// The attribute, or its default where it was not given.
    ::llvm::SmallVector<int64_t> getWindowStridesOrDefault();
    ::llvm::SmallVector<int64_t> getBaseDilationsOrDefault();
    ::llvm::SmallVector<int64_t> getWindowDilationsOrDefault();
    /// (low, high) of each dimension; zeros where not given.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPaddingOrDefault();
  }];
  let hasVerifier = 1;
}

def StableHlo_SelectAndScatterOp : StableHlo_InferredOp<"select_and_scatter", [RecursiveMemoryEffects]> {
  let summary = "source values scattered to the selected element of each window of the operand";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$source, SH_Tensor:$init_value,
                       OptionalAttr<DenseI64ArrayAttr>:$window_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let results = (outs SH_Tensor:$result);
  let hasVerifier = 1;
}

def StableHlo_MapOp : StableHlo_InferredOp<"map", [RecursiveMemoryEffects, SameOperandsAndResultShape,
                                                   SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "a region of scalars applied to every element";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs SH_Tensor:$result);
  let hasVerifier = 1;
}

def StableHlo_BatchNormInferenceOp : StableHlo_BaselineInferredOp<"batch_norm_inference", [Pure]> {
  let summary = "normalisation by given mean and variance, per feature";
  let arguments = (ins SH_FloatOrQuantTensor:$operand, SH_FloatOrQuantTensor:$scale, SH_FloatOrQuantTensor:$offset,
                       SH_FloatOrQuantTensor:$mean, SH_FloatOrQuantTensor:$variance, F32Attr:$epsilon,
                       SH_I64Attr:$feature_index);
  let results = (outs SH_FloatOrQuantTensor:$result);
}

def StableHlo_BatchNormTrainingOp : StableHlo_BaselineInferredOp<"batch_norm_training", [Pure]> {
  let summary = "normalisation by the batch's own mean and variance, per feature";
  let arguments = (ins SH_FloatOrQuantTensor:$operand, SH_FloatOrQuantTensor:$scale, SH_FloatOrQuantTensor:$offset,
                       F32Attr:$epsilon, SH_I64Attr:$feature_index);
  let results = (outs SH_FloatOrQuantTensor:$output, SH_FloatOrQuantTensor:$batch_mean,
                      SH_FloatOrQuantTensor:$batch_var);
}

def StableHlo_BatchNormGradOp : StableHlo_BaselineInferredOp<"batch_norm_grad", [Pure]> {
  let summary = "gradients of batch_norm_training";
  let arguments = (ins SH_FloatOrQuantTensor:$operand, SH_FloatOrQuantTensor:$scale, SH_FloatOrQuantTensor:$mean,
                       SH_FloatOrQuantTensor:$variance, SH_FloatOrQuantTensor:$grad_output, F32Attr:$epsilon,
                       SH_I64Attr:$feature_index);
  let results = (outs SH_FloatOrQuantTensor:$grad_operand, SH_FloatOrQuantTensor:$grad_scale,
                      SH_FloatOrQuantTensor:$grad_offset);
}

#endif // HEDDLE_STABLEHLO_REDUCTION_OPS
