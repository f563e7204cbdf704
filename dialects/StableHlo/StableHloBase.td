// What all groups of StableHLO operations share: the dialect, the kinds of
// tensors that the specification names, and the base classes of operations.

#ifndef HEDDLE_STABLEHLO_BASE
#define HEDDLE_STABLEHLO_BASE

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHloDialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::heddle::stablehlo";
  let summary = "The graph IR: operations of the OpenXLA StableHLO specification";
  let description = [{
    heddle's own definition of StableHLO, compatible with the specification in
    text and meaning. Every model becomes this dialect first; what it lacks is a
    `stablehlo.composite` whose decomposition says what it means.
  }];
  // The rules of extents compute with expressions, also where all are numbers.
  let dependentDialects = ["::heddle::size::SizeDialect", "::mlir::quant::QuantDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerBytecode();
    void registerElementwiseOps();
    void registerShapeOps();
    void registerIndexingOps();
    void registerContractionOps();
    void registerReductionOps();
    void registerControlOps();
    void registerDynamicOps();
    void registerDistributionOps();
    void registerRandomOps();
    void registerLegacyOps();
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

class StableHloType<string name, string typeMnemonic> : TypeDef<StableHloDialect, name> {
  let mnemonic = typeMnemonic;
}

def StableHlo_TokenType : StableHloType<"Token", "token"> {
  let summary = "orders side effects; holds no data";
}

def StableHlo_FutureType : StableHloType<"Future", "future"> {
  let summary = "the results of an asynchronous operation that may still run";
  let parameters = (ins ArrayRefParameter<"::mlir::Type">:$types);
  let assemblyFormat = "`<` $types `>`";
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Element types, in the words of the specification
//===----------------------------------------------------------------------===//

def SH_Bool : TypeAlias<I1, "bool">;
def SH_SInt : SignlessIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def SH_UInt : UnsignedIntOfWidths<[2, 4, 8, 16, 32, 64]>;
def SH_Int : AnyTypeOf<[SH_SInt, SH_UInt], "integer">;
def SH_IntOrBool : AnyTypeOf<[SH_Bool, SH_SInt, SH_UInt], "bool or integer">;
def SH_Float : Type<And<[CPred<"::llvm::isa<::mlir::FloatType>($_self)">,
                         CPred<"!::llvm::isa<::mlir::Float80Type, ::mlir::Float128Type, ::mlir::FloatTF32Type>($_self)">]>,
                    "floating-point", "::mlir::FloatType">;
def SH_F32Or64 : AnyTypeOf<[F32, F64], "f32 or f64">;
def SH_Complex : Complex<SH_F32Or64>;
// A type of scales along an axis means another number at each position of it. Only operations that keep track of
// where the axis goes take one; block-wise types are refused where they are imported.
def SH_Quantized : Type<CPred<"::llvm::isa<::mlir::quant::QuantizedType>($_self)">, "quantized">;
def SH_PerTensorQuantized :
  Type<CPred<"::llvm::isa<::mlir::quant::UniformQuantizedType>($_self)">, "per-tensor quantized">;

class SH_TensorOf<list<Type> elements, string words> :
  RankedTensorOf<elements> { let summary = words; }

def SH_AnyTensor : SH_TensorOf<[SH_Bool, SH_SInt, SH_UInt, SH_Float, SH_Complex, SH_Quantized], "ranked tensor of any element type">;
def SH_Tensor : SH_TensorOf<[SH_Bool, SH_SInt, SH_UInt, SH_Float, SH_Complex, SH_PerTensorQuantized],
                            "ranked tensor of plain or per-tensor quantized values">;
def SH_BoolTensor : SH_TensorOf<[SH_Bool], "ranked tensor of bool">;
def SH_IntTensor : SH_TensorOf<[SH_Int], "ranked tensor of integers">;
def SH_IntOrBoolTensor : SH_TensorOf<[SH_Bool, SH_Int], "ranked tensor of bool or integers">;
def SH_FloatTensor : SH_TensorOf<[SH_Float], "ranked tensor of floating-point values">;
def SH_FloatOrAnyQuantTensor : SH_TensorOf<[SH_Float, SH_Quantized], "ranked tensor of floating-point or quantized values">;
def SH_FloatOrQuantTensor :
  SH_TensorOf<[SH_Float, SH_PerTensorQuantized], "ranked tensor of floating-point or per-tensor quantized values">;
def SH_FloatComplexOrQuantTensor :
  SH_TensorOf<[SH_Float, SH_Complex, SH_PerTensorQuantized],
              "ranked tensor of floating-point, complex or per-tensor quantized values">;
def SH_FloatOrComplexTensor : SH_TensorOf<[SH_Float, SH_Complex], "ranked tensor of floating-point or complex values">;
def SH_F32Or64Tensor : SH_TensorOf<[SH_F32Or64], "ranked tensor of f32 or f64">;
def SH_ComplexTensor : SH_TensorOf<[SH_Complex], "ranked tensor of complex values">;
def SH_NumberTensor :
  SH_TensorOf<[SH_Int, SH_Float, SH_Complex, SH_PerTensorQuantized], "ranked tensor of plain or per-tensor quantized numbers">;
def SH_QuantTensor : SH_TensorOf<[SH_Quantized], "ranked tensor of quantized values">;
def SH_ShapeTensor : RankedTensorOf<[AnyTypeOf<[SH_Int, Index], "integer or index">]> {
  let summary = "1-dimensional tensor of sizes";
}
def SH_IndexTensor : SH_TensorOf<[SH_Int, Index], "ranked tensor of indices">;
class SH_ScalarOf<int width> : TypeConstraint<CPred<
    "::llvm::isa<::mlir::RankedTensorType>($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 0 && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isSignlessInteger(" # width # ")">,
  "0-dimensional tensor of i" # width, "::mlir::RankedTensorType">;
def SH_BoolScalar : SH_ScalarOf<1>;
def SH_I32Scalar : SH_ScalarOf<32>;
def SH_TensorOrToken : AnyTypeOf<[SH_AnyTensor, StableHlo_TokenType], "tensor or token">;
def SH_Tuple : NestedTupleOf<[SH_AnyTensor, StableHlo_TokenType]>;
def SH_Value : AnyTypeOf<[SH_AnyTensor, StableHlo_TokenType, AnyTuple, AnyMemRef, StableHlo_FutureType],
                         "tensor, token, tuple, buffer or future">;

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def SH_ChecksQuantizedTypes : NativeOpTrait<"ChecksQuantizedTypes"> {
  let cppNamespace = "::heddle::stablehlo";
}

class StableHlo_Op<string mnemonic, list<Trait> traits = []>
    : Op<StableHloDialect, mnemonic, !listconcat([SH_ChecksQuantizedTypes], traits)>;

/// An operation whose result types follow from its operands, attributes and regions. What is written may be
/// less specific than what is inferred, as where a dimension is unknown; `agree` compares the two.
class StableHlo_InferredOp<string mnemonic, list<Trait> traits = [], string agree = "areCompatibleTypes">
    : StableHlo_Op<mnemonic, !listconcat(traits, [InferTypeOpAdaptorWithIsCompatible])> {
  code compatibility = [{
    bool $cppClass::isCompatibleReturnTypes(::mlir::TypeRange inferred, ::mlir::TypeRange written) {
      return }] # agree # [{(inferred, written);
    }
  }];
  let extraClassDefinition = compatibility;
}

/// As `StableHlo_InferredOp`, for results that have scales and zero points of their own.
class StableHlo_BaselineInferredOp<string mnemonic, list<Trait> traits = []>
    : StableHlo_InferredOp<mnemonic, traits, "haveSameBaseline">;

#endif // HEDDLE_STABLEHLO_BASE
