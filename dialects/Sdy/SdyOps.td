// The sdy dialect: meshes, what users say about shardings, and regions.

#ifndef HEDDLE_DIALECTS_SDY_SDYOPS_TD
#define HEDDLE_DIALECTS_SDY_SDYOPS_TD

include "dialects/Sdy/SdyAttributes.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Sdy_Op<string mnemonic, list<Trait> traits = []> : Op<Sdy_Dialect, mnemonic, traits>;

def Sdy_MeshOp : Sdy_Op<"mesh", [Symbol, HasParent<"::mlir::ModuleOp">]> {
  let summary = "names a mesh";
  let description = [{
    ```mlir
    sdy.mesh @mesh = <["x"=2, "y"=4]>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Sdy_MeshAttr:$mesh);
  let assemblyFormat = "$sym_name `=` custom<Mesh>($mesh) attr-dict";
  let hasVerifier = 1;
}

def Sdy_ShardingConstraintOp : Sdy_Op<"sharding_constraint", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "the user's word on how a tensor lies";
  let description = [{
    ```mlir
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {?} ]> : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input custom<Sharding>($sharding) attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_ReshardOp : Sdy_Op<"reshard", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "from here on the tensor lies otherwise";
  let arguments = (ins AnyType:$input, Sdy_TensorShardingAttr:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input custom<Sharding>($sharding) attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def Sdy_ShardingGroupOp : Sdy_Op<"sharding_group"> {
  let summary = "all values of a group lie in the same way";
  let description = [{
    ```mlir
    sdy.sharding_group %0 group_id=21 : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, I64Attr:$group_id);
  let assemblyFormat = "$input `group_id` `` `=` `` $group_id attr-dict `:` type($input)";
}

def Sdy_ConstantOp : Sdy_Op<"constant", [Pure, AllTypesMatch<["value", "output"]>]> {
  let summary = "a constant that is not shared";
  let description = [{
    Like `stablehlo.constant`, but canonical forms keep equal ones apart, so that
    each use can lie in its own way.
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$output);
  let hasCustomAssemblyFormat = 1;
}

def Sdy_DataFlowEdgeOp : Sdy_Op<"data_flow_edge", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "a value that flows into or out of a region";
  let description = [{
    Stands behind the owner of an edge, such as a result of a loop: all that
    flows into it and all that comes out lie as its sharding says.

    ```mlir
    %1 = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}, {?} ]> : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, OptionalAttr<Sdy_TensorShardingAttr>:$sharding);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input (`sharding` `` `=` `` custom<Sharding>($sharding)^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_FuncDataFlowEdgeOp : Sdy_Op<"func_data_flow_edge", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "a value that flows into a function or out of a call of one";
  let arguments = (ins AnyType:$input);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Sdy_PropagationBarrierOp : Sdy_Op<"propagation_barrier", [Pure, AllTypesMatch<["input", "result"]>]> {
  let summary = "shardings go through in one direction at most";
  let description = [{
    ```mlir
    %1 = sdy.propagation_barrier %0 allowed_direction=FORWARD : tensor<8x4xf32>
    ```
  }];
  let arguments = (ins AnyType:$input, Sdy_Direction:$allowed_direction);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$input `allowed_direction` `` `=` `` $allowed_direction attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

def Sdy_ManualComputationOp : Sdy_Op<"manual_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a body written for one device's part along some axes";
  let description = [{
    ```mlir
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"} ]>] out_shardings=[<@mesh, [{"x"} ]>]
        manual_axes={"x"} (%part: tensor<4xf32>) {
      sdy.return %part : tensor<4xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
    Types in the body are those of a part along the manual axes and whole along
    all others, which propagation may use. In each dimension manual axes come
    first.
  }];
  let arguments = (ins Variadic<AnyType>:$tensors, Sdy_TensorShardingPerValueAttr:$in_shardings,
                       Sdy_TensorShardingPerValueAttr:$out_shardings, Sdy_ManualAxesAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

def Sdy_NamedComputationOp : Sdy_Op<"named_computation", [
    IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a body with a name, as of a function that was inlined";
  let description = [{
    ```mlir
    %1 = sdy.named_computation<"layer">(%0) in_shardings=[<@mesh, [{"x"} ]>] (%arg: tensor<8xf32>) {
      sdy.return %arg : tensor<8xf32>
    } : (tensor<8xf32>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$name, Variadic<AnyType>:$operands,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$in_shardings,
                       OptionalAttr<Sdy_TensorShardingPerValueAttr>:$out_shardings);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Sdy_ReturnOp : Sdy_Op<"return", [Pure, Terminator]> {
  let summary = "what a body gives";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // HEDDLE_DIALECTS_SDY_SDYOPS_TD
