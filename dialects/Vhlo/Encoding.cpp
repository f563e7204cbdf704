// VHLO's tables: the codes of types and attributes, and the versions that they
// came with.

#include "dialects/Vhlo/Encoding.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::vhlo {

//===----------------------------------------------------------------------===//
// Types without parameters
//===----------------------------------------------------------------------===//

template <unsigned width, IntegerType::SignednessSemantics sign>
static Type integerOf(MLIRContext *context) {
  return IntegerType::get(context, width, sign);
}
template <typename T> static Type typeOf(MLIRContext *context) {
  return T::get(context);
}

static constexpr auto Signless = IntegerType::Signless;
static constexpr auto Unsigned = IntegerType::Unsigned;

static const PlainType kPlainTypes[] = {
    {0, "bool", kOldest, integerOf<1, Signless>},
    {2, "bf16", kOldest, typeOf<BFloat16Type>},
    {3, "f16", kOldest, typeOf<Float16Type>},
    {4, "f32", kOldest, typeOf<Float32Type>},
    {5, "f64", kOldest, typeOf<Float64Type>},
    {6, "f8E4M3FN", kOldest, typeOf<Float8E4M3FNType>},
    {7, "f8E5M2", kOldest, typeOf<Float8E5M2Type>},
    {9, "index", kOldest, typeOf<IndexType>},
    {10, "i4", kOldest, integerOf<4, Signless>},
    {11, "i8", kOldest, integerOf<8, Signless>},
    {12, "i16", kOldest, integerOf<16, Signless>},
    {13, "i32", kOldest, integerOf<32, Signless>},
    {14, "i64", kOldest, integerOf<64, Signless>},
    {15, "ui4", kOldest, integerOf<4, Unsigned>},
    {16, "ui8", kOldest, integerOf<8, Unsigned>},
    {17, "ui16", kOldest, integerOf<16, Unsigned>},
    {18, "ui32", kOldest, integerOf<32, Unsigned>},
    {19, "ui64", kOldest, integerOf<64, Unsigned>},
    {22, "token", kOldest, typeOf<stablehlo::TokenType>},
    {27, "f8E4M3FNUZ", {0, 10, 0}, typeOf<Float8E4M3FNUZType>},
    {28, "f8E5M2FNUZ", {0, 10, 0}, typeOf<Float8E5M2FNUZType>},
    {29, "f8E4M3B11FNUZ", {0, 11, 0}, typeOf<Float8E4M3B11FNUZType>},
    {31, "i2", {1, 2, 0}, integerOf<2, Signless>},
    {32, "ui2", {1, 2, 0}, integerOf<2, Unsigned>},
    {33, "none", {1, 6, 0}, typeOf<NoneType>},
    // In text the format says 31 where it means 32.
    {34, "tf31", {1, 6, 0}, typeOf<FloatTF32Type>},
    {35, "f8E4M3", {1, 7, 0}, typeOf<Float8E4M3Type>},
    {36, "f8E3M4", {1, 7, 0}, typeOf<Float8E3M4Type>},
    {37, "f4E2M1FN", {1, 8, 0}, typeOf<Float4E2M1FNType>},
    {38, "f6E2M3FN", {1, 8, 0}, typeOf<Float6E2M3FNType>},
    {39, "f6E3M2FN", {1, 8, 0}, typeOf<Float6E3M2FNType>},
    {40, "f8E8M0FNU", {1, 8, 0}, typeOf<Float8E8M0FNUType>},
};

ArrayRef<PlainType> plainTypes() { return kPlainTypes; }

//===----------------------------------------------------------------------===//
// Enumerations
//===----------------------------------------------------------------------===//

/// A row for an enumeration of the stablehlo dialect. Its numbers are VHLO's.
template <typename Attr, typename Value,
          std::optional<Value> (*symbolize)(uint32_t),
          std::optional<Value> (*symbolizeName)(StringRef),
          StringRef (*stringify)(Value)>
static constexpr EnumRow row(unsigned code, llvm::StringLiteral name) {
  return {
      code, name,
      [](MLIRContext *context, uint64_t number) -> Attribute {
        auto value = number <= UINT32_MAX
                         ? symbolize(static_cast<uint32_t>(number))
                         : std::nullopt;
        return value ? Attribute(Attr::get(context, *value)) : Attribute();
      },
      [](MLIRContext *context, StringRef text) -> Attribute {
        auto value = symbolizeName(text);
        return value ? Attribute(Attr::get(context, *value)) : Attribute();
      },
      [](Attribute attribute) -> std::optional<std::pair<uint64_t, StringRef>> {
        auto attr = dyn_cast<Attr>(attribute);
        if (!attr)
          return std::nullopt;
        return std::pair(static_cast<uint64_t>(attr.getValue()),
                         stringify(attr.getValue()));
      }};
}

#define HEDDLE_ENUM_ROW(code, text, name)                                      \
  row<stablehlo::name##Attr, stablehlo::name, stablehlo::symbolize##name,      \
      stablehlo::symbolize##name, stablehlo::stringify##name>(code, text)

static const EnumRow kEnumRows[] = {
    HEDDLE_ENUM_ROW(ComparisonDirectionCode, "comparison_direction",
                    ComparisonDirection),
    HEDDLE_ENUM_ROW(ComparisonTypeCode, "comparison_type", ComparisonType),
    HEDDLE_ENUM_ROW(FftTypeCode, "fft_type", FftType),
    HEDDLE_ENUM_ROW(PrecisionCode, "precision", Precision),
    HEDDLE_ENUM_ROW(RngAlgorithmCode, "rng_algorithm", RngAlgorithm),
    HEDDLE_ENUM_ROW(RngDistributionCode, "rng_distribution", RngDistribution),
    HEDDLE_ENUM_ROW(TransposeCode, "transpose", Transpose),
    HEDDLE_ENUM_ROW(ResultAccuracyModeCode, "result_accuracy_mode",
                    ResultAccuracyMode),
    // StableHLO has a number in its place, so none is recognized by its kind.
    {ApiVersionCode, "api_version",
     [](MLIRContext *context, uint64_t number) -> Attribute {
       bool known =
           number <= UINT32_MAX && stablehlo::symbolizeCustomCallApiVersion(
                                       static_cast<uint32_t>(number));
       return known ? Attribute(Builder(context).getI32IntegerAttr(
                          static_cast<int32_t>(number)))
                    : Attribute();
     },
     [](MLIRContext *context, StringRef text) -> Attribute {
       auto value = stablehlo::symbolizeCustomCallApiVersion(text);
       return value ? Attribute(Builder(context).getI32IntegerAttr(
                          static_cast<int32_t>(*value)))
                    : Attribute();
     },
     [](Attribute) -> std::optional<std::pair<uint64_t, StringRef>> {
       return std::nullopt;
     }},
};
#undef HEDDLE_ENUM_ROW

ArrayRef<EnumRow> enumRows() { return kEnumRows; }

//===----------------------------------------------------------------------===//
// Codes and versions
//===----------------------------------------------------------------------===//

/// The later of both; nothing if one is nothing.
static std::optional<Version> later(std::optional<Version> a,
                                    std::optional<Version> b) {
  if (!a || !b)
    return std::nullopt;
  return *a < *b ? b : a;
}

template <typename Range> static std::optional<Version> latestOf(Range range) {
  std::optional<Version> latest = kOldest;
  for (auto each : range)
    latest = later(latest, versionOf(each));
  return latest;
}

std::optional<Version> versionOf(Type type) {
  for (const PlainType &plain : kPlainTypes)
    if (type == plain.get(type.getContext()))
      return plain.since;
  return llvm::TypeSwitch<Type, std::optional<Version>>(type)
      .Case([](ComplexType type) { return versionOf(type.getElementType()); })
      .Case([](FunctionType type) {
        return later(latestOf(type.getInputs()), latestOf(type.getResults()));
      })
      .Case([](RankedTensorType type) {
        auto version = versionOf(type.getElementType());
        return type.getEncoding()
                   ? later(version, versionOf(type.getEncoding()))
                   : version;
      })
      .Case([](UnrankedTensorType type) {
        return versionOf(type.getElementType());
      })
      .Case([](TupleType type) { return latestOf(type.getTypes()); })
      .Case([](quant::UniformQuantizedType type) {
        return later(versionOf(type.getStorageType()),
                     versionOf(type.getExpressedType()));
      })
      .Case([](quant::UniformQuantizedPerAxisType type) {
        return later(Version{0, 18, 0},
                     later(versionOf(type.getStorageType()),
                           versionOf(type.getExpressedType())));
      })
      .Case([](MemRefType type) -> std::optional<Version> {
        if (!type.getLayout().isIdentity() || type.getMemorySpace())
          return std::nullopt;
        return later(Version{1, 13, 0}, versionOf(type.getElementType()));
      })
      .Case([](stablehlo::FutureType type) {
        return later(Version{1, 15, 0}, latestOf(type.getTypes()));
      })
      .Default([](Type) { return std::nullopt; });
}

std::optional<unsigned> attributeCodeOf(Attribute attribute) {
  for (const EnumRow &row : kEnumRows)
    if (row.read(attribute))
      return row.code;
  return llvm::TypeSwitch<Attribute, std::optional<unsigned>>(attribute)
      .Case([](ArrayAttr) { return ArrayCode; })
      .Case([](BoolAttr) { return BooleanCode; })
      .Case([](DictionaryAttr) { return DictionaryCode; })
      .Case([](FloatAttr) { return FloatCode; })
      .Case([](IntegerAttr) { return IntegerCode; })
      .Case([](stablehlo::OutputOperandAliasAttr) {
        return OutputOperandAliasCode;
      })
      // A symbol is a string here.
      .Case<StringAttr, FlatSymbolRefAttr>([](Attribute) { return StringCode; })
      .Case<DenseElementsAttr, DenseI64ArrayAttr, DenseBoolArrayAttr>(
          [](Attribute) { return TensorCode; })
      .Case([](TypeAttr) { return TypeAttributeCode; })
      .Case([](stablehlo::TypeExtensionsAttr) { return TypeExtensionsCode; })
      .Case([](stablehlo::ResultAccuracyAttr) { return ResultAccuracyCode; })
      .Case([](stablehlo::SubAxisInfoAttr) { return SubAxisInfoCode; })
      .Case([](stablehlo::AxisRefAttr) { return AxisRefCode; })
      .Case([](stablehlo::ReplicaGroupMeshAxesAttr) {
        return ReplicaGroupMeshAxesCode;
      })
      .Case([](stablehlo::MeshAxisAttr) { return MeshAxisCode; })
      .Case([](stablehlo::MeshAttr) { return MeshCode; })
      .Default([](Attribute) { return std::nullopt; });
}

std::optional<Version> versionOf(Attribute attribute) {
  std::optional<unsigned> code = attributeCodeOf(attribute);
  if (!code)
    return std::nullopt;
  if (*code >= SubAxisInfoCode)
    return Version{1, 16, 0};
  if (*code >= ResultAccuracyModeCode)
    return Version{1, 9, 0};
  return llvm::TypeSwitch<Attribute, std::optional<Version>>(attribute)
      .Case([](ArrayAttr array) { return latestOf(array.getValue()); })
      .Case([](DictionaryAttr dictionary) {
        return latestOf(llvm::map_range(
            dictionary, [](NamedAttribute each) { return each.getValue(); }));
      })
      .Case([](TypeAttr type) { return versionOf(type.getValue()); })
      .Case([](StringAttr text) {
        return isa<NoneType>(text.getType()) ? std::optional(kOldest)
                                             : std::nullopt;
      })
      .Case<FloatAttr, IntegerAttr>(
          [](auto number) { return versionOf(number.getType()); })
      .Case([](DenseElementsAttr tensor) {
        return versionOf(Type(tensor.getType()));
      })
      .Default([](Attribute) { return kOldest; });
}

} // namespace heddle::vhlo
