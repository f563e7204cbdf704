// Constants, and operations that move elements without computing with them.

#ifndef HEDDLE_STABLEHLO_SHAPE_OPS
#define HEDDLE_STABLEHLO_SHAPE_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_ConstantOp : StableHlo_InferredOp<"constant", [ConstantLike, Pure]> {
  let summary = "a constant tensor";
  let description = [{
    The value is held in the IR if small (`dense<...>`), else a handle of a mapped weight (`dense_resource<...>`).
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs SH_AnyTensor:$output);
  let hasCustomAssemblyFormat = 1;
  let hasFolder = 1;
  // A constant of a quantized type holds integers.
  let extraClassDefinition = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange written) {
      return areCompatibleTypes(inferred, written) || isStorageOf(inferred, written);
    }
  }];
}

def StableHlo_IotaOp : StableHlo_Op<"iota", [Pure]> {
  let summary = "0, 1, 2, ... along one dimension";
  let arguments = (ins SH_I64Attr:$iota_dimension);
  let results = (outs SH_Tensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}

def StableHlo_BitcastConvertOp : StableHlo_Op<"bitcast_convert", [Pure]> {
  let summary = "the same bits under another element type";
  let arguments = (ins SH_AnyTensor:$operand);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHlo_BroadcastInDimOp : StableHlo_Op<"broadcast_in_dim", [Pure]> {
  let summary = "repetition along new dimensions and those of size 1";
  let arguments = (ins SH_AnyTensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHlo_ConcatenateOp : StableHlo_InferredOp<"concatenate", [Pure]> {
  let summary = "tensors one after the other along a dimension";
  let arguments = (ins Variadic<SH_Tensor>:$inputs, SH_I64Attr:$dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    custom<VariadicOperandWithAttribute>($inputs) `dim` `=` $dimension attr-dict `:`
      functional-type(operands, results)
  }];
}

def StableHlo_PadOp : StableHlo_InferredOp<"pad", [Pure]> {
  let summary = "padding around and between elements; negative padding cuts";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
                       DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
      `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
}

def StableHlo_ReshapeOp : StableHlo_Op<"reshape", [Pure]> {
  let summary = "the same elements in row-major order under another shape";
  let arguments = (ins SH_AnyTensor:$operand);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHlo_ReverseOp : StableHlo_InferredOp<"reverse", [Pure]> {
  let summary = "reversed order along dimensions";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameOperandsAndResultType>(type($operand), type($result))
  }];
}

def StableHlo_SliceOp : StableHlo_InferredOp<"slice", [Pure]> {
  let summary = "a strided box of elements";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
                       DenseI64ArrayAttr:$strides);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:`
      functional-type(operands, results)
  }];
}

def StableHlo_TransposeOp : StableHlo_InferredOp<"transpose", [Pure]> {
  let summary = "permuted dimensions: result dimension i is operand dimension permutation[i]";
  let arguments = (ins SH_AnyTensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
}

def StableHlo_GetDimensionSizeOp : StableHlo_InferredOp<"get_dimension_size", [Pure]> {
  let summary = "size of one dimension";
  let arguments = (ins SH_AnyTensor:$operand, SH_I64Attr:$dimension);
  let results = (outs SH_I32Scalar:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

#endif // HEDDLE_STABLEHLO_SHAPE_OPS
