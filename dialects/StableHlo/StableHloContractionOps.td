// Contractions and dense linear algebra.

#ifndef HEDDLE_STABLEHLO_CONTRACTION_OPS
#define HEDDLE_STABLEHLO_CONTRACTION_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_DotGeneralOp : StableHlo_Op<"dot_general", [Pure]> {
  let summary = "sums of products over contracting dimensions, batched";
  let description = [{
    The result's dimensions are the batching ones, then those left of lhs, then those left of rhs.
  }];
  let arguments = (ins SH_Tensor:$lhs, SH_AnyTensor:$rhs, StableHlo_DotDimensionNumbersAttr:$dot_dimension_numbers,
                       SH_PrecisionConfig:$precision_config, OptionalAttr<StableHlo_DotAlgorithmAttr>:$algorithm);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers)
      `` custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

class StableHlo_ConvolutionBase<string mnemonic> : StableHlo_Op<mnemonic, [Pure]> {
  dag windowAndDimensions = (ins OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
      OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
      StableHlo_ConvDimensionNumbersAttr:$dimension_numbers,
      ConfinedAttr<SH_I64Attr, [IntPositive]>:$feature_group_count,
      ConfinedAttr<SH_I64Attr, [IntPositive]>:$batch_group_count, SH_PrecisionConfig:$precision_config);
  code windowDeclaration = [{
    /// The attribute, or its default where it was not given.
    ::llvm::SmallVector<int64_t> getWindowStridesOrDefault();
    ::llvm::SmallVector<int64_t> getLhsDilationOrDefault();
    ::llvm::SmallVector<int64_t> getRhsDilationOrDefault();
    ::llvm::SmallVector<bool> getWindowReversalOrDefault();
    int64_t getNumSpatialDimensions() {
      return getDimensionNumbers().getInputSpatialDimensions().size();
    }
  }];
}

def StableHlo_ConvolutionOp : StableHlo_ConvolutionBase<"convolution"> {
  let summary = "dot products of windows of lhs with slices of rhs";
  let arguments = !con((ins SH_Tensor:$lhs, SH_AnyTensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
                            OptionalAttr<I64ElementsAttr>:$padding), windowAndDimensions);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    `(`operands`)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,`
      `window` `=` `{` custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation,
                                                $window_reversal) `}`
      attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = windowDeclaration # [{
    /// (low, high) of each spatial dimension; zeros where not given.
    ::llvm::SmallVector<std::pair<int64_t, int64_t>> getPaddingOrDefault();
  }];
  let hasVerifier = 1;
}

def StableHlo_DynamicConvOp : StableHlo_ConvolutionBase<"dynamic_conv"> {
  let summary = "convolution with a computed padding";
  let arguments = !con((ins SH_Tensor:$lhs, SH_AnyTensor:$rhs, SH_IntTensor:$padding,
                            OptionalAttr<DenseI64ArrayAttr>:$window_strides), windowAndDimensions);
  let results = (outs SH_AnyTensor:$result);
  let extraClassDeclaration = windowDeclaration;
  let hasVerifier = 1;
}

def StableHlo_CholeskyOp : StableHlo_InferredOp<"cholesky", [Pure, SameOperandsAndResultElementType]> {
  let summary = "Cholesky factors of a batch of matrices";
  let arguments = (ins SH_FloatOrComplexTensor:$a, SH_BoolFalse:$lower);
  let results = (outs SH_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))
  }];
}

def StableHlo_TriangularSolveOp : StableHlo_InferredOp<"triangular_solve", [Pure, SameOperandsAndResultElementType]> {
  let summary = "solutions of triangular systems";
  let arguments = (ins SH_FloatOrComplexTensor:$a, SH_FloatOrComplexTensor:$b, BoolAttr:$left_side, BoolAttr:$lower,
                       BoolAttr:$unit_diagonal, StableHlo_TransposeAttr:$transpose_a);
  let results = (outs SH_FloatOrComplexTensor:$result);
}

def StableHlo_FftOp : StableHlo_InferredOp<"fft", [Pure]> {
  let summary = "Fourier transform of the last dimensions";
  let arguments = (ins SH_FloatOrComplexTensor:$operand, StableHlo_FftTypeAttr:$fft_type,
                       DenseI64ArrayAttr:$fft_length);
  let results = (outs SH_FloatOrComplexTensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` $fft_type `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
}

#endif // HEDDLE_STABLEHLO_CONTRACTION_OPS
