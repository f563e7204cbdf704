// The sdy dialect: how tensors lie over meshes of devices, as attributes.

#ifndef HEDDLE_DIALECTS_SDY_SDYATTRIBUTES_TD
#define HEDDLE_DIALECTS_SDY_SDYATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"

def Sdy_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::heddle::sdy";
  let summary = "where tensors lie on a mesh of devices";
  let description = [{
    Text-compatible with Shardy of August 2026, so that what JAX exports loads
    as it is. A mesh names the axes of a grid of devices; a sharding says for
    each dimension of a tensor over which axes its parts lie, from the major to
    the minor one:

    ```mlir
    sdy.mesh @mesh = <["data"=4, "model"=2]>
    func.func @main(%x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {?} ]>})
    ```

    Here the rows lie on four groups of two devices; `?` leaves it to
    propagation whether the columns are cut too. Arguments and results of
    functions have a sharding, other operations one for each result
    (`#sdy.sharding_per_value`), both under the name `sdy.sharding`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerBytecode();
  }];
}

class Sdy_Attr<string name, string mnemonicText> : AttrDef<Sdy_Dialect, name> {
  let mnemonic = mnemonicText;
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

class Sdy_Enum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::heddle::sdy";
}

def Sdy_Direction : Sdy_Enum<"Direction", "the ways along which shardings may go", [
    I32EnumAttrCase<"None", 0, "NONE">, I32EnumAttrCase<"Forward", 1, "FORWARD">,
    I32EnumAttrCase<"Backward", 2, "BACKWARD">, I32EnumAttrCase<"Both", 3, "BOTH">]>;

def Sdy_Reduction : Sdy_Enum<"Reduction", "how the parts of an unreduced tensor are joined", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">]>;

def Sdy_EdgeEnd : Sdy_Enum<"EdgeEnd", "the values of an operation", [
    I32EnumAttrCase<"Operand", 0, "operand">, I32EnumAttrCase<"Result", 1, "result">]>;

//===----------------------------------------------------------------------===//
// Meshes and axes
//===----------------------------------------------------------------------===//

def Sdy_MeshAxisAttr : Sdy_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "an axis of a mesh, by name and size";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let genVerifyDecl = 1;
}

def Sdy_MeshAttr : Sdy_Attr<"Mesh", "mesh"> {
  let summary = "a grid of devices with named axes";
  let description = [{
    ```mlir
    #sdy.mesh<["x"=2, "y"=4]>
    #sdy.mesh<["x"=2, "y"=2], device_ids=[0, 2, 1, 3]>
    #sdy.mesh<[], device_ids=[3]>
    ```
    Devices are numbered with the last axis as the fastest, unless their
    numbers are given. A mesh without axes and with one number is that device
    alone.
  }];
  let parameters = (ins OptionalArrayRefParameter<"MeshAxisAttr">:$axes, OptionalArrayRefParameter<"int64_t">:$deviceIds);
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The size of an axis; nothing where there is none of this name.
    std::optional<int64_t> sizeOf(::mlir::StringAttr axis) const;
    /// The place of an axis among the mesh's axes; their number if unknown.
    size_t indexOf(::mlir::StringAttr axis) const;
    int64_t deviceCount() const;
    /// One device by its number: no axes, one number.
    bool isSingleDevice() const;
    bool hasAxis(::mlir::StringAttr axis) const { return sizeOf(axis).has_value(); }
    /// Whether axes are equal, whatever the order of devices.
    bool hasSameAxes(MeshAttr other) const { return getAxes() == other.getAxes(); }
  }];
}

def Sdy_AxisRefAttr : Sdy_Attr<"AxisRef", "axis_ref"> {
  let summary = "an axis of a mesh, or a part of one";
  let description = [{
    `"x"` is all of an axis. `"x":(2)4` is a sub-axis: the axis is split into
    three of sizes 2, 4 and what is left, and the middle one is meant. `size` is
    0 for the whole axis, whose size the mesh has.
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$preSize, "int64_t":$size);
  let extraClassDeclaration = [{
    static AxisRefAttr whole(::mlir::StringAttr name) {
      return get(name.getContext(), name, 1, 0);
    }
    bool isWhole() const { return getSize() == 0; }
    /// The size on a mesh that has the axis.
    int64_t sizeOn(MeshAttr mesh) const;
    /// What sizes come before all that is minor to this one.
    int64_t nextPreSize(MeshAttr mesh) const { return getPreSize() * sizeOn(mesh); }
    /// Whether a tensor cannot be cut over both: devices that differ in one
    /// differ in the other, too. Parts of one axis are apart where the one ends
    /// at a place that the other starts at a multiple of; `"x":(1)2` and
    /// `"x":(3)2` of an axis of 6 are not.
    bool overlaps(AxisRefAttr other) const;
    /// Whether all of `other` is in this one.
    bool contains(AxisRefAttr other) const;
    /// Whether `minor` goes on where this one ends, so that both are one.
    bool canMerge(AxisRefAttr minor, MeshAttr mesh) const;
    AxisRefAttr merge(AxisRefAttr minor, MeshAttr mesh) const;
    /// A part of the axis, as the whole where it is that.
    static AxisRefAttr part(::mlir::StringAttr name, int64_t preSize, int64_t size, MeshAttr mesh);
    std::string text() const;
  }];
}

//===----------------------------------------------------------------------===//
// Shardings
//===----------------------------------------------------------------------===//

def Sdy_DimensionShardingAttr : Sdy_Attr<"DimensionSharding", "dimension_sharding"> {
  let summary = "over which axes the parts of a dimension lie";
  let description = [{
    `{"x", "y"}` is closed: cut over these axes and no others. With a `?` as last,
    propagation may add minor axes. `p1` behind it is the user's priority: 0, the
    default, goes first.
  }];
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "bool":$isClosed, "std::optional<int64_t>":$priority);
  let extraClassDeclaration = [{
    int64_t shardCount(MeshAttr mesh) const;
    static DimensionShardingAttr closed(::mlir::MLIRContext *context, ::llvm::ArrayRef<AxisRefAttr> axes = {}) {
      return get(context, axes, true, std::nullopt);
    }
    static DimensionShardingAttr open(::mlir::MLIRContext *context, ::llvm::ArrayRef<AxisRefAttr> axes = {}) {
      return get(context, axes, false, std::nullopt);
    }
  }];
}

def Sdy_TensorShardingAttr : Sdy_Attr<"TensorSharding", "sharding"> {
  let summary = "how a tensor lies on a mesh";
  let description = [{
    ```mlir
    #sdy.sharding<@mesh, [{"x"}, {"y", ?}p1], replicated={"z"}, unreduced=max{"w"}>
    ```
    On `replicated` axes all devices have equal parts, whatever propagation
    finds. Along `unreduced` axes each device has a term; the tensor is their
    sum, or what stands behind `unreduced=`.
  }];
  let parameters = (ins "::mlir::Attribute":$meshOrRef, OptionalArrayRefParameter<"DimensionShardingAttr">:$dimShardings,
                        OptionalArrayRefParameter<"AxisRefAttr">:$replicatedAxes,
                        OptionalArrayRefParameter<"AxisRefAttr">:$unreducedAxes, "Reduction":$reduction);
  let extraClassDeclaration = [{
    int64_t getRank() const { return getDimShardings().size(); }
    /// The mesh, looked up from `from` where it is a name; null if unknown.
    MeshAttr meshOf(::mlir::Operation *from) const;
    MeshAttr meshOf(const ::mlir::SymbolTable &symbols) const;
    ::mlir::StringAttr meshName() const;
    static TensorShardingAttr fullyOpen(::mlir::MLIRContext *context, int64_t rank, ::mlir::Attribute meshOrRef);
    static TensorShardingAttr fullyClosed(::mlir::MLIRContext *context, int64_t rank, ::mlir::Attribute meshOrRef);
    TensorShardingAttr withDimension(int64_t dim, DimensionShardingAttr sharding) const;
    TensorShardingAttr withDimensions(::llvm::ArrayRef<DimensionShardingAttr> shardings) const;
    /// No axis is named and nothing is closed: it says nothing.
    bool isFullyOpen() const;
    bool isFullyReplicated() const;
    bool usesAxis(AxisRefAttr axis) const;
    /// All axes in dimensions, then the replicated, then the unreduced ones.
    void forEachAxis(::llvm::function_ref<void(AxisRefAttr)> visit) const;
    /// The shape of a device's part; what does not divide is rounded up.
    ::mlir::RankedTensorType localType(::mlir::RankedTensorType type, MeshAttr mesh) const;
  }];
}

def Sdy_TensorShardingPerValueAttr : Sdy_Attr<"TensorShardingPerValue", "sharding_per_value"> {
  let summary = "a sharding for each of several values";
  let parameters = (ins OptionalArrayRefParameter<"TensorShardingAttr">:$shardings);
  let extraClassDeclaration = [{
    size_t size() const { return getShardings().size(); }
    bool empty() const { return getShardings().empty(); }
  }];
}

//===----------------------------------------------------------------------===//
// Lists of axes
//===----------------------------------------------------------------------===//

def Sdy_ManualAxesAttr : Sdy_Attr<"ManualAxes", "manual_axes"> {
  let summary = "axes along which a body is written for one device's part";
  let parameters = (ins OptionalArrayRefParameter<"::mlir::StringAttr">:$axes);
}

def Sdy_AxisRefListAttr : Sdy_Attr<"AxisRefList", "axis_ref_list"> {
  let summary = "axes";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes);
}

def Sdy_ListOfAxisRefListsAttr : Sdy_Attr<"ListOfAxisRefLists", "list_of_axis_ref_lists"> {
  let summary = "axes for each dimension";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefListAttr">:$lists);
}

def Sdy_AllToAllParamAttr : Sdy_Attr<"AllToAllParam", "all_to_all_param"> {
  let summary = "axes that go from one dimension to another";
  let parameters = (ins OptionalArrayRefParameter<"AxisRefAttr">:$axes, "int64_t":$sourceDim, "int64_t":$targetDim);
}

def Sdy_AllToAllParamListAttr : Sdy_Attr<"AllToAllParamList", "all_to_all_param_list"> {
  let summary = "all that goes from dimension to dimension";
  let parameters = (ins OptionalArrayRefParameter<"AllToAllParamAttr">:$params);
}

//===----------------------------------------------------------------------===//
// Sharding rules
//===----------------------------------------------------------------------===//

def Sdy_DimMappingAttr : Sdy_Attr<"DimMapping", "dim_mapping"> {
  let summary = "the factors of a dimension, from major to minor";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factors);
}

def Sdy_TensorMappingAttr : Sdy_Attr<"TensorMapping", "tensor_mapping"> {
  let summary = "the factors of each dimension";
  let parameters = (ins OptionalArrayRefParameter<"DimMappingAttr">:$dims);
}

def Sdy_OpShardingRuleAttr : Sdy_Attr<"OpShardingRule", "op_sharding_rule"> {
  let summary = "how the dimensions of operands and results belong together";
  let description = [{
    ```mlir
    #sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=8, j=4, k=16} reduction={k}>
    ```
    A product of matrices: where `i` is cut, so is the result; where `k` is,
    each device has a term of the sum. Factors are named from `i` to `z`, then
    `z_1`, `z_2`; a dimension of several is written without spaces, from the
    major to the minor one: `[ij]`. Factors that need replication must not be
    cut; those under `permutation` need an exchange between neighbours;
    propagation does not go along those under `blocked_propagation`. `custom`
    says that a user wrote the rule.
  }];
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$factorSizes,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$operandMappings,
                        OptionalArrayRefParameter<"TensorMappingAttr">:$resultMappings,
                        OptionalArrayRefParameter<"int64_t">:$reductionFactors,
                        OptionalArrayRefParameter<"int64_t">:$needReplicationFactors,
                        OptionalArrayRefParameter<"int64_t">:$permutationFactors,
                        OptionalArrayRefParameter<"int64_t">:$blockedPropagationFactors, "bool":$isCustom);
  let extraClassDeclaration = [{
    size_t factorCount() const { return getFactorSizes().size(); }
  }];
}

//===----------------------------------------------------------------------===//
// Edges along which axes went
//===----------------------------------------------------------------------===//

def Sdy_EdgeValueRefAttr : Sdy_Attr<"EdgeValueRef", "edge_value_ref"> {
  let summary = "an operand or a result of an operation";
  let parameters = (ins "EdgeEnd":$end, "int64_t":$index);
}

def Sdy_PropagatedAxisAttr : Sdy_Attr<"PropagatedAxis", "axis_to_propagation_details"> {
  let summary = "an axis, where it came from and where it went";
  let parameters = (ins "AxisRefAttr":$axis, "EdgeValueRefAttr":$source, ArrayRefParameter<"EdgeValueRefAttr">:$targets);
}

def Sdy_PropagationStepAttr : Sdy_Attr<"PropagationStep", "propagation_one_step"> {
  let summary = "what went along an operation in one step";
  let parameters = (ins "int64_t":$index, ArrayRefParameter<"PropagatedAxisAttr">:$axes);
}

def Sdy_PropagationEdgesAttr : Sdy_Attr<"PropagationEdges", "propagation_edges"> {
  let summary = "how axes went along an operation, step by step";
  let description = [{
    ```mlir
    #sdy.propagation_edges<[{step-2 = [{"y" = operand-1 -> [operand-0, result-0]} ]} ]>
    ```
  }];
  let parameters = (ins OptionalArrayRefParameter<"PropagationStepAttr">:$steps);
  let genVerifyDecl = 1;
}

#endif // HEDDLE_DIALECTS_SDY_SDYATTRIBUTES_TD
