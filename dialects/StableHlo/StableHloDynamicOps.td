// Operations whose result's shape is computed.

#ifndef HEDDLE_STABLEHLO_DYNAMIC_OPS
#define HEDDLE_STABLEHLO_DYNAMIC_OPS

include "dialects/StableHlo/StableHloAttributes.td"

def StableHlo_DynamicBroadcastInDimOp : StableHlo_Op<"dynamic_broadcast_in_dim", [Pure]> {
  let summary = "broadcast_in_dim to a computed shape";
  let arguments = (ins SH_AnyTensor:$operand, SH_ShapeTensor:$output_dimensions, DenseI64ArrayAttr:$broadcast_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_expanding_dimensions,
                       OptionalAttr<DenseI64ArrayAttr>:$known_nonexpanding_dimensions);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = [{
    $operand `,` $output_dimensions `,` `dims` `=` $broadcast_dimensions attr-dict `:`
      functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def StableHlo_DynamicGatherOp : StableHlo_InferredOp<"dynamic_gather", [Pure]> {
  let summary = "gather with computed slice sizes";
  let arguments = (ins SH_Tensor:$operand, SH_IntTensor:$start_indices, SH_IntTensor:$slice_sizes,
                       StableHlo_GatherDimensionNumbersAttr:$dimension_numbers, SH_BoolFalse:$indices_are_sorted);
  let results = (outs SH_Tensor:$result);
}

def StableHlo_DynamicIotaOp : StableHlo_Op<"dynamic_iota", [Pure]> {
  let summary = "iota of a computed shape";
  let arguments = (ins SH_ShapeTensor:$output_shape, SH_I64Attr:$iota_dimension);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "$output_shape `,` `dim` `=` $iota_dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHlo_DynamicPadOp : StableHlo_Op<"dynamic_pad", [Pure]> {
  let summary = "pad by computed amounts";
  let arguments = (ins SH_Tensor:$operand, SH_Tensor:$padding_value, SH_ShapeTensor:$edge_padding_low,
                       SH_ShapeTensor:$edge_padding_high, SH_ShapeTensor:$interior_padding);
  let results = (outs SH_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def StableHlo_DynamicReshapeOp : StableHlo_Op<"dynamic_reshape", [Pure]> {
  let summary = "reshape to a computed shape";
  let arguments = (ins SH_AnyTensor:$operand, SH_ShapeTensor:$output_shape);
  let results = (outs SH_AnyTensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

#endif // HEDDLE_STABLEHLO_DYNAMIC_OPS
