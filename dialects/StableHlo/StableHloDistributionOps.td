// Operations between devices and between device and host.

#ifndef HEDDLE_STABLEHLO_DISTRIBUTION_OPS
#define HEDDLE_STABLEHLO_DISTRIBUTION_OPS

include "dialects/StableHlo/StableHloAttributes.td"

defvar SH_Channel = OptionalAttr<StableHlo_ChannelHandleAttr>;

def StableHlo_AllGatherOp : StableHlo_Op<"all_gather"> {
  let summary = "the operands of a group of devices, concatenated";
  let arguments = (ins Variadic<SH_Tensor>:$operands, ConfinedAttr<SH_I64Attr, [IntNonNegative]>:$all_gather_dim,
                       SH_ReplicaGroups:$replica_groups, SH_Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<SH_Tensor>);
  let hasVerifier = 1;
}

def StableHlo_AllReduceOp : StableHlo_InferredOp<"all_reduce", [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "the operands of a group of devices, combined";
  let arguments = (ins Variadic<SH_Tensor>:$operands, SH_ReplicaGroups:$replica_groups, SH_Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<SH_Tensor>);
  let hasVerifier = 1;
}

def StableHlo_ReduceScatterOp : StableHlo_Op<"reduce_scatter", [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "the operands of a group of devices, combined, then split over it";
  let arguments = (ins SH_Tensor:$operand, ConfinedAttr<SH_I64Attr, [IntNonNegative]>:$scatter_dimension,
                       SH_ReplicaGroups:$replica_groups, SH_Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs SH_Tensor);
  let hasVerifier = 1;
}

def StableHlo_AllToAllOp : StableHlo_InferredOp<"all_to_all", []> {
  let summary = "parts of the operands of a group of devices, exchanged";
  let arguments = (ins Variadic<SH_Tensor>:$operands, ConfinedAttr<SH_I64Attr, [IntNonNegative]>:$split_dimension,
                       ConfinedAttr<SH_I64Attr, [IntNonNegative]>:$concat_dimension,
                       ConfinedAttr<SH_I64Attr, [IntPositive]>:$split_count, SH_ReplicaGroups:$replica_groups,
                       SH_Channel:$channel_handle);
  let results = (outs Variadic<SH_Tensor>);
}

def StableHlo_CollectiveBroadcastOp : StableHlo_InferredOp<"collective_broadcast", []> {
  let summary = "the operand of the first device of a group";
  let arguments = (ins Variadic<SH_Tensor>:$operand, SH_ReplicaGroups:$replica_groups, SH_Channel:$channel_handle,
                       UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<SH_Tensor>);
}

def StableHlo_CollectiveReduceOp :
    StableHlo_InferredOp<"collective_reduce", [SingleBlockImplicitTerminator<"ReturnOp">]> {
  let summary = "the operands of a group of devices, combined on one of them";
  let arguments = (ins Variadic<SH_Tensor>:$operands, SH_ReplicaGroups:$replica_groups, SH_Channel:$channel_handle,
                       UnitAttr:$use_global_device_ids, UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<SH_Tensor>);
  let hasVerifier = 1;
}

def StableHlo_CollectivePermuteOp : StableHlo_InferredOp<"collective_permute", []> {
  let summary = "the operand of another device";
  let arguments = (ins SH_Tensor:$operand, I64ElementsAttr:$source_target_pairs, SH_Channel:$channel_handle);
  let results = (outs SH_Tensor:$result);
}

def StableHlo_ReplicaIdOp : StableHlo_InferredOp<"replica_id", [Pure]> {
  let summary = "number of this replica";
  let results = (outs SH_IntTensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHlo_PartitionIdOp : StableHlo_InferredOp<"partition_id", [Pure]> {
  let summary = "number of this partition";
  let results = (outs SH_IntTensor);
  let assemblyFormat = "attr-dict `:` type(results)";
}

def StableHlo_InfeedOp : StableHlo_Op<"infeed"> {
  let summary = "values from the host";
  let arguments = (ins StableHlo_TokenType:$token, DefaultValuedStrAttr<StrAttr, "">:$infeed_config,
                       OptionalAttr<ArrayAttr>:$layout);
  let results = (outs Variadic<SH_TensorOrToken>);
  let hasVerifier = 1;
}

def StableHlo_OutfeedOp : StableHlo_Op<"outfeed"> {
  let summary = "values to the host";
  let arguments = (ins Variadic<SH_AnyTensor>:$inputs, StableHlo_TokenType:$token,
                       DefaultValuedStrAttr<StrAttr, "">:$outfeed_config);
  let results = (outs StableHlo_TokenType);
}

def StableHlo_SendOp : StableHlo_Op<"send"> {
  let summary = "values to another device or the host";
  let arguments = (ins Variadic<SH_AnyTensor>:$inputs, StableHlo_TokenType:$token, StableHlo_ChannelHandleAttr:$channel_handle,
                       SH_BoolFalse:$is_host_transfer, OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs StableHlo_TokenType);
  let hasVerifier = 1;
}

def StableHlo_RecvOp : StableHlo_Op<"recv"> {
  let summary = "values from another device or the host";
  let arguments = (ins StableHlo_TokenType:$token, StableHlo_ChannelHandleAttr:$channel_handle, SH_BoolFalse:$is_host_transfer,
                       OptionalAttr<I64ElementsAttr>:$source_target_pairs);
  let results = (outs Variadic<SH_TensorOrToken>);
  let hasVerifier = 1;
}

def StableHlo_AsyncStartOp : StableHlo_Op<"async_start"> {
  let summary = "begins the operations of its region";
  let arguments = (ins Variadic<SH_Value>:$inputs);
  let regions = (region SizedRegion<1>:$body);
  let results = (outs StableHlo_FutureType:$result);
  let hasVerifier = 1;
}

def StableHlo_AsyncDoneOp : StableHlo_Op<"async_done"> {
  let summary = "waits for what async_start began";
  let arguments = (ins StableHlo_FutureType:$future);
  let results = (outs Variadic<SH_Value>);
  let hasVerifier = 1;
}

#endif // HEDDLE_STABLEHLO_DISTRIBUTION_OPS
