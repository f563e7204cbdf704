// Attributes of the specification. Those written `#stablehlo.<name><key = value, ...>` leave out what is empty or
// zero and take their keys in any order.

#ifndef HEDDLE_STABLEHLO_ATTRIBUTES
#define HEDDLE_STABLEHLO_ATTRIBUTES

include "dialects/StableHlo/StableHloEnums.td"
include "mlir/IR/TensorEncoding.td"

class StableHlo_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<StableHloDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// `[0, 2]`; left out where empty.
def SH_Dims : OptionalArrayRefParameter<"int64_t", "dimensions"> {
  let parser = "::heddle::stablehlo::parseDims($_parser)";
  let printer = "::heddle::stablehlo::printDims($_printer, $_self)";
}
def SH_RequiredDims : ArrayRefParameter<"int64_t", "dimensions"> {
  let parser = "::heddle::stablehlo::parseDims($_parser)";
  let printer = "::heddle::stablehlo::printDims($_printer, $_self)";
}

def StableHlo_ScatterDimensionNumbersAttr : StableHlo_Attr<"ScatterDimensionNumbers", "scatter"> {
  let summary = "how the dimensions of scatter's operands belong together";
  let parameters = (ins SH_Dims:$updateWindowDims, SH_Dims:$insertedWindowDims, SH_Dims:$inputBatchingDims,
      SH_Dims:$scatterIndicesBatchingDims, SH_Dims:$scatterDimsToOperandDims,
      DefaultValuedParameter<"int64_t", "0">:$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_GatherDimensionNumbersAttr : StableHlo_Attr<"GatherDimensionNumbers", "gather"> {
  let summary = "how the dimensions of gather's operands and result belong together";
  let parameters = (ins SH_Dims:$offsetDims, SH_Dims:$collapsedSliceDims, SH_Dims:$operandBatchingDims,
      SH_Dims:$startIndicesBatchingDims, SH_Dims:$startIndexMap,
      DefaultValuedParameter<"int64_t", "0">:$indexVectorDim);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_DotDimensionNumbersAttr : StableHlo_Attr<"DotDimensionNumbers", "dot"> {
  let summary = "batching and contracting dimensions of dot_general";
  let parameters = (ins SH_Dims:$lhsBatchingDimensions, SH_Dims:$rhsBatchingDimensions,
      SH_Dims:$lhsContractingDimensions, SH_Dims:$rhsContractingDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_DotAlgorithmAttr : StableHlo_Attr<"DotAlgorithm", "dot_algorithm"> {
  let summary = "the arithmetic that dot_general must use";
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
      "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
      "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_ConvDimensionNumbersAttr : StableHlo_Attr<"ConvDimensionNumbers", "conv"> {
  let summary = "order of the dimensions of convolution's operands and result";
  let description = [{
    `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`: input, kernel, output; `b` batch, `f` feature, `i` and
    `o` the kernel's input and output features, numbers the spatial dimensions.
  }];
  let parameters = (ins "int64_t":$inputBatchDimension, "int64_t":$inputFeatureDimension,
      SH_RequiredDims:$inputSpatialDimensions, "int64_t":$kernelInputFeatureDimension,
      "int64_t":$kernelOutputFeatureDimension, SH_RequiredDims:$kernelSpatialDimensions,
      "int64_t":$outputBatchDimension, "int64_t":$outputFeatureDimension,
      SH_RequiredDims:$outputSpatialDimensions);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_OutputOperandAliasAttr : StableHlo_Attr<"OutputOperandAlias", "output_operand_alias"> {
  let summary = "a result of a custom call that shares the storage of an operand";
  let parameters = (ins SH_RequiredDims:$outputTupleIndices, "int64_t":$operandIndex,
      SH_RequiredDims:$operandTupleIndices);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_ChannelHandleAttr : StableHlo_Attr<"ChannelHandle", "channel_handle"> {
  let summary = "the channel that a collective or transfer uses";
  let parameters = (ins "int64_t":$handle, "int64_t":$type);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHlo_TypeExtensionsAttr : StableHlo_Attr<"TypeExtensions", "bounds",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "upper bounds of a tensor's unknown dimensions";
  let description = [{
    Encoding of a ranked tensor: `tensor<?x4xf32, #stablehlo.bounds<8, ?>>` has at most 8 rows. `?` is `kDynamic`.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$bounds);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_ResultAccuracyAttr : StableHlo_Attr<"ResultAccuracy", "result_accuracy"> {
  let summary = "how exact the result of an elementary function must be";
  let parameters = (ins "::llvm::APFloat":$atol, "::llvm::APFloat":$rtol, "int64_t":$ulps,
      "::heddle::stablehlo::ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def SH_ReplicaGroups : Attr<Or<[I64ElementsAttr.predicate,
    CPred<"::llvm::isa<::heddle::stablehlo::ReplicaGroupMeshAxesAttr>($_self)">]>, "replica groups"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

def StableHlo_SubAxisInfoAttr : StableHlo_Attr<"SubAxisInfo", "sub_axis_info"> {
  let summary = "the part of a mesh axis: (size of what comes before)size";
  let parameters = (ins "int64_t":$preSize, "int64_t":$size);
  let assemblyFormat = "`(` $preSize `)` $size";
}

def StableHlo_AxisRefAttr : StableHlo_Attr<"AxisRef", "axis_ref"> {
  let summary = "a mesh axis, or a part of one";
  let parameters = (ins "::mlir::StringAttr":$name,
      OptionalParameter<"::heddle::stablehlo::SubAxisInfoAttr">:$subAxisInfo);
  let assemblyFormat = "`<` `name` `=` $name (`,` `sub_axis_info` `=` $subAxisInfo^)? `>`";
}

def StableHlo_MeshAxisAttr : StableHlo_Attr<"MeshAxis", "mesh_axis"> {
  let summary = "name and size of a mesh axis";
  let parameters = (ins "::mlir::StringAttr":$name, "int64_t":$size);
  let assemblyFormat = "`<` struct(params) `>`";
}

def StableHlo_MeshAttr : StableHlo_Attr<"Mesh", "mesh"> {
  let summary = "a grid of devices with named axes";
  let parameters = (ins ArrayRefParameter<"::heddle::stablehlo::MeshAxisAttr">:$axes,
      OptionalParameter<"::mlir::DenseIntElementsAttr">:$deviceIds);
  let hasCustomAssemblyFormat = 1;
}

def StableHlo_ReplicaGroupMeshAxesAttr : StableHlo_Attr<"ReplicaGroupMeshAxes", "replica_group_mesh_axes"> {
  let summary = "replica groups given by axes of a mesh";
  let parameters = (ins "::mlir::Attribute":$mesh, "::mlir::ArrayAttr":$axes);
  let assemblyFormat = "`<` struct(params) `>`";
}

def SH_PrecisionConfig : OptionalAttr<TypedArrayAttrBase<StableHlo_PrecisionAttr, "precisions of both operands">>;
// The builtin ones are read as unsigned.
def SH_I64Attr : TypedSignlessIntegerAttrBase<I64, "int64_t", "64-bit integer">;
def SH_I32Attr : TypedSignlessIntegerAttrBase<I32, "int32_t", "32-bit integer">;
def SH_BoolFalse : DefaultValuedOptionalAttr<BoolAttr, "false">;

#endif // HEDDLE_STABLEHLO_ATTRIBUTES
