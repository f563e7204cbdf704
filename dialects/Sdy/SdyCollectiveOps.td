// The sdy dialect: how a tensor goes from one sharding to another.

#ifndef HEDDLE_DIALECTS_SDY_SDYCOLLECTIVEOPS_TD
#define HEDDLE_DIALECTS_SDY_SDYCOLLECTIVEOPS_TD

include "dialects/Sdy/SdyAttributes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_CollectiveOp<string mnemonic, string does> : Op<Sdy_Dialect, mnemonic, [
    Pure, AllTypesMatch<["tensor", "result"]>]> {
  let summary = does;
  let results = (outs AnyTensor:$result);
  let hasVerifier = 1;
}

def Sdy_AllGatherOp : Sdy_CollectiveOp<"all_gather", "minor axes of dimensions are no longer used to cut"> {
  let description = [{
    ```mlir
    %1 = sdy.all_gather [{"b"}, {} ] %0 out_sharding=<@mesh, [{"a"}, {} ]> : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$tensor, Sdy_ListOfAxisRefListsAttr:$gathering_axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<AxesPerDimension>($gathering_axes) $tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding)
    attr-dict `:` type($result)
  }];
}

def Sdy_AllSliceOp : Sdy_CollectiveOp<"all_slice", "dimensions are cut further, each device keeping its part"> {
  let arguments = (ins AnyTensor:$tensor, Sdy_ListOfAxisRefListsAttr:$slicing_axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<AxesPerDimension>($slicing_axes) $tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding)
    attr-dict `:` type($result)
  }];
}

def Sdy_AllToAllOp : Sdy_CollectiveOp<"all_to_all", "minor axes go from one dimension to another"> {
  let description = [{
    ```mlir
    %1 = sdy.all_to_all [{"b"}: 0->1] %0 out_sharding=<@mesh, [{"a"}, {"b"} ]> : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$tensor, Sdy_AllToAllParamListAttr:$params, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<AllToAllParams>($params) $tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding)
    attr-dict `:` type($result)
  }];
}

def Sdy_CollectivePermuteOp : Sdy_CollectiveOp<"collective_permute", "devices exchange whole parts"> {
  let arguments = (ins AnyTensor:$tensor, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = "$tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding) attr-dict `:` type($result)";
}

def Sdy_AllReduceOp : Sdy_CollectiveOp<"all_reduce", "the terms of all devices along axes are joined"> {
  let description = [{
    ```mlir
    %1 = sdy.all_reduce max {"b"} %0 out_sharding=<@mesh, [{"a"}, {} ]> : tensor<8x8xf32>
    ```
  }];
  let arguments = (ins AnyTensor:$tensor, Sdy_AxisRefListAttr:$reduction_axes, Sdy_TensorShardingAttr:$out_sharding,
                       DefaultValuedAttr<Sdy_Reduction, "Reduction::Sum">:$reduction_op);
  let assemblyFormat = [{
    custom<ReducedAxes>($reduction_op, $reduction_axes) $tensor
    `out_sharding` `` `=` `` custom<Sharding>($out_sharding) attr-dict `:` type($result)
  }];
}

def Sdy_ReduceScatterOp : Sdy_CollectiveOp<"reduce_scatter", "terms are joined, each device keeping its part"> {
  let arguments = (ins AnyTensor:$tensor, Sdy_ListOfAxisRefListsAttr:$reduce_scatter_axes,
                       Sdy_TensorShardingAttr:$out_sharding,
                       DefaultValuedAttr<Sdy_Reduction, "Reduction::Sum">:$reduction_op);
  let assemblyFormat = [{
    custom<ReducedAxes>($reduction_op, $reduce_scatter_axes) $tensor
    `out_sharding` `` `=` `` custom<Sharding>($out_sharding) attr-dict `:` type($result)
  }];
}

def Sdy_ShardedToUnreducedOp : Sdy_CollectiveOp<"sharded_to_unreduced",
    "a device's part becomes its term: zero outside of the part"> {
  let arguments = (ins AnyTensor:$tensor, Sdy_ListOfAxisRefListsAttr:$axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<AxesPerDimension>($axes) $tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding)
    attr-dict `:` type($result)
  }];
}

def Sdy_ReplicatedToUnreducedOp : Sdy_CollectiveOp<"replicated_to_unreduced",
    "one device keeps what all have, the terms of the others are zero"> {
  let arguments = (ins AnyTensor:$tensor, Sdy_AxisRefListAttr:$axes, Sdy_TensorShardingAttr:$out_sharding);
  let assemblyFormat = [{
    custom<AxisList>($axes) $tensor `out_sharding` `` `=` `` custom<Sharding>($out_sharding) attr-dict `:` type($result)
  }];
}

#endif // HEDDLE_DIALECTS_SDY_SDYCOLLECTIVEOPS_TD
