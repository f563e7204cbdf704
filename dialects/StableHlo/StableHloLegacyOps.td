// Operations that are no longer in the specification but that programs still hold.

#ifndef HEDDLE_STABLEHLO_LEGACY_OPS
#define HEDDLE_STABLEHLO_LEGACY_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_BroadcastOp : StableHlo_InferredOp<"broadcast", [Pure]> {
  let summary = "repetition along new leading dimensions; broadcast_in_dim since";
  let arguments = (ins SH_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
}

def StableHlo_CreateTokenOp : StableHlo_Op<"create_token", [Pure]> {
  let summary = "a token; after_all without operands since";
  let results = (outs StableHlo_TokenType:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHlo_DotOp : StableHlo_Op<"dot", [Pure]> {
  let summary = "product of vectors and matrices; dot_general since";
  let arguments = (ins SH_Tensor:$lhs, SH_AnyTensor:$rhs, SH_PrecisionConfig:$precision_config);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHlo_EinsumOp : StableHlo_Op<"einsum", [Pure]> {
  let summary = "Einstein summation of two tensors; dot_general since";
  let arguments = (ins SH_Tensor:$lhs, SH_Tensor:$rhs, StrAttr:$einsum_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def StableHlo_UnaryEinsumOp : StableHlo_Op<"unary_einsum", [Pure]> {
  let summary = "Einstein summation of one tensor";
  let arguments = (ins SH_Tensor:$operand, StrAttr:$einsum_config);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)";
}

def StableHlo_RealDynamicSliceOp : StableHlo_Op<"real_dynamic_slice", [Pure]> {
  let summary = "slice with computed bounds";
  let arguments = (ins SH_Tensor:$operand, SH_ShapeTensor:$start_indices, SH_ShapeTensor:$limit_indices,
                       SH_ShapeTensor:$strides);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHlo_SetDimensionSizeOp : StableHlo_InferredOp<"set_dimension_size", [Pure]> {
  let summary = "a tensor with one dimension's true size set";
  let arguments = (ins SH_Tensor:$operand, SH_I32Scalar:$size, SH_I64Attr:$dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$operand `,` $size `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
}

def StableHlo_TorchIndexSelectOp : StableHlo_Op<"torch_index_select", [Pure]> {
  let summary = "slices along a dimension by index; gather since";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$index, SH_I64Attr:$dim, SH_I64Attr:$batch_dims);
  let results = (outs SH_Tensor:$result);
}

#endif // HEDDLE_STABLEHLO_LEGACY_OPS
