// MLIR bytecode of the dialect's attributes and types.
//
// Codes and fields are those that StableHLO producers write; a list of
// dimensions is a sequence of signed variable-length integers, an enumeration
// its number. What has no code is kept as text by MLIR.

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Bytecode/BytecodeImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace heddle::stablehlo {
namespace {

/// Never renumbered: files hold these. (0 was an attribute that is gone.)
enum AttributeCode : uint64_t {
  ChannelHandleCode = 1,
  ComparisonDirectionCode = 2,
  ComparisonTypeCode = 3,
  ConvDimensionNumbersCode = 4,
  DotDimensionNumbersCode = 5,
  FftTypeCode = 6,
  GatherDimensionNumbersCode = 7,
  PrecisionCode = 8,
  RngAlgorithmCode = 9,
  RngDistributionCode = 10,
  ScatterDimensionNumbersCode = 11,
  TransposeCode = 12,
  TypeExtensionsCode = 13,
  OutputOperandAliasCode = 14,
  DotAlgorithmCode = 15,
  ResultAccuracyModeCode = 16,
};

enum TypeCode : uint64_t { TokenCode = 0 };

/// Reads fields one after the other; remembers the first failure.
class Fields {
public:
  explicit Fields(DialectBytecodeReader &reader) : reader(reader) {}

  int64_t integer() {
    int64_t value = 0;
    failed |= bool(llvm::failed(reader.readSignedVarInt(value)));
    return value;
  }
  SmallVector<int64_t> dims() {
    SmallVector<int64_t> values;
    failed |= bool(llvm::failed(reader.readSignedVarInts(values)));
    return values;
  }
  Type type() {
    Type value;
    failed |= bool(llvm::failed(reader.readType(value)));
    return value;
  }
  /// The enumeration attribute `Attr`; null after an error.
  template <typename Attr, typename Symbolize>
  Attribute enumeration(MLIRContext *context, Symbolize symbolize) {
    uint64_t code = 0;
    if (llvm::failed(reader.readVarInt(code)))
      return {};
    auto value = code <= UINT32_MAX ? symbolize(static_cast<uint32_t>(code))
                                    : std::nullopt;
    if (!value) {
      reader.emitError() << "unknown value " << code << " of an enumeration";
      return {};
    }
    return Attr::get(context, *value);
  }

  bool failed = false;

private:
  DialectBytecodeReader &reader;
};

struct BytecodeInterface : BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  Attribute readAttribute(DialectBytecodeReader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    Fields fields(reader);
    Attribute attribute = readFields(code, fields, reader);
    return fields.failed ? Attribute() : attribute;
  }

  LogicalResult writeAttribute(Attribute attribute,
                               DialectBytecodeWriter &writer) const override {
    auto dims = [&](ArrayRef<int64_t> values) {
      writer.writeSignedVarInts(values);
    };
    auto integer = [&](int64_t value) { writer.writeSignedVarInt(value); };
    auto enumeration = [&](uint64_t code, auto value) {
      writer.writeVarInt(code);
      writer.writeVarInt(static_cast<uint32_t>(value));
    };
    return llvm::TypeSwitch<Attribute, LogicalResult>(attribute)
        .Case([&](ChannelHandleAttr attr) {
          writer.writeVarInt(ChannelHandleCode);
          integer(attr.getHandle());
          integer(attr.getType());
          return success();
        })
        .Case([&](ConvDimensionNumbersAttr attr) {
          writer.writeVarInt(ConvDimensionNumbersCode);
          integer(attr.getInputBatchDimension());
          integer(attr.getInputFeatureDimension());
          dims(attr.getInputSpatialDimensions());
          integer(attr.getKernelInputFeatureDimension());
          integer(attr.getKernelOutputFeatureDimension());
          dims(attr.getKernelSpatialDimensions());
          integer(attr.getOutputBatchDimension());
          integer(attr.getOutputFeatureDimension());
          dims(attr.getOutputSpatialDimensions());
          return success();
        })
        .Case([&](DotDimensionNumbersAttr attr) {
          writer.writeVarInt(DotDimensionNumbersCode);
          dims(attr.getLhsBatchingDimensions());
          dims(attr.getRhsBatchingDimensions());
          dims(attr.getLhsContractingDimensions());
          dims(attr.getRhsContractingDimensions());
          return success();
        })
        .Case([&](GatherDimensionNumbersAttr attr) {
          writer.writeVarInt(GatherDimensionNumbersCode);
          dims(attr.getOffsetDims());
          dims(attr.getCollapsedSliceDims());
          dims(attr.getOperandBatchingDims());
          dims(attr.getStartIndicesBatchingDims());
          dims(attr.getStartIndexMap());
          integer(attr.getIndexVectorDim());
          return success();
        })
        .Case([&](ScatterDimensionNumbersAttr attr) {
          writer.writeVarInt(ScatterDimensionNumbersCode);
          dims(attr.getUpdateWindowDims());
          dims(attr.getInsertedWindowDims());
          dims(attr.getInputBatchingDims());
          dims(attr.getScatterIndicesBatchingDims());
          dims(attr.getScatterDimsToOperandDims());
          integer(attr.getIndexVectorDim());
          return success();
        })
        .Case([&](TypeExtensionsAttr attr) {
          writer.writeVarInt(TypeExtensionsCode);
          dims(attr.getBounds());
          return success();
        })
        .Case([&](OutputOperandAliasAttr attr) {
          writer.writeVarInt(OutputOperandAliasCode);
          dims(attr.getOutputTupleIndices());
          integer(attr.getOperandIndex());
          dims(attr.getOperandTupleIndices());
          return success();
        })
        .Case([&](DotAlgorithmAttr attr) {
          writer.writeVarInt(DotAlgorithmCode);
          writer.writeType(attr.getLhsPrecisionType());
          writer.writeType(attr.getRhsPrecisionType());
          writer.writeType(attr.getAccumulationType());
          integer(attr.getLhsComponentCount());
          integer(attr.getRhsComponentCount());
          integer(attr.getNumPrimitiveOperations());
          integer(attr.getAllowImpreciseAccumulation());
          return success();
        })
        .Case([&](ComparisonDirectionAttr attr) {
          return enumeration(ComparisonDirectionCode, attr.getValue()),
                 success();
        })
        .Case([&](ComparisonTypeAttr attr) {
          return enumeration(ComparisonTypeCode, attr.getValue()), success();
        })
        .Case([&](FftTypeAttr attr) {
          return enumeration(FftTypeCode, attr.getValue()), success();
        })
        .Case([&](PrecisionAttr attr) {
          return enumeration(PrecisionCode, attr.getValue()), success();
        })
        .Case([&](RngAlgorithmAttr attr) {
          return enumeration(RngAlgorithmCode, attr.getValue()), success();
        })
        .Case([&](RngDistributionAttr attr) {
          return enumeration(RngDistributionCode, attr.getValue()), success();
        })
        .Case([&](TransposeAttr attr) {
          return enumeration(TransposeCode, attr.getValue()), success();
        })
        .Case([&](ResultAccuracyModeAttr attr) {
          return enumeration(ResultAccuracyModeCode, attr.getValue()),
                 success();
        })
        .Default([](Attribute) { return failure(); });
  }

  Type readType(DialectBytecodeReader &reader) const override {
    uint64_t code = 0;
    if (failed(reader.readVarInt(code)))
      return {};
    if (code == TokenCode)
      return TokenType::get(getContext());
    reader.emitError() << "unknown type of the stablehlo dialect: " << code;
    return {};
  }

  LogicalResult writeType(Type type,
                          DialectBytecodeWriter &writer) const override {
    if (!isa<TokenType>(type))
      return failure();
    writer.writeVarInt(TokenCode);
    return success();
  }

private:
  /// The attribute of this code; null, or `fields.failed`, after an error.
  Attribute readFields(uint64_t code, Fields &fields,
                       DialectBytecodeReader &reader) const {
    MLIRContext *context = getContext();
    // Fields are read in this order, which the order of evaluating arguments
    // would not guarantee: hence the names.
    switch (code) {
    case ChannelHandleCode: {
      int64_t handle = fields.integer(), type = fields.integer();
      return ChannelHandleAttr::get(context, handle, type);
    }
    case ConvDimensionNumbersCode: {
      int64_t inputBatch = fields.integer(), inputFeature = fields.integer();
      auto input = fields.dims();
      int64_t kernelInput = fields.integer(), kernelOutput = fields.integer();
      auto kernel = fields.dims();
      int64_t outputBatch = fields.integer(), outputFeature = fields.integer();
      auto output = fields.dims();
      return ConvDimensionNumbersAttr::get(
          context, inputBatch, inputFeature, input, kernelInput, kernelOutput,
          kernel, outputBatch, outputFeature, output);
    }
    case DotDimensionNumbersCode: {
      auto lhsBatch = fields.dims(), rhsBatch = fields.dims();
      auto lhsContract = fields.dims(), rhsContract = fields.dims();
      return DotDimensionNumbersAttr::get(context, lhsBatch, rhsBatch,
                                          lhsContract, rhsContract);
    }
    case GatherDimensionNumbersCode: {
      auto offset = fields.dims(), collapsed = fields.dims();
      auto batching = fields.dims(), indicesBatching = fields.dims();
      auto map = fields.dims();
      int64_t vectorDim = fields.integer();
      return GatherDimensionNumbersAttr::get(context, offset, collapsed,
                                             batching, indicesBatching, map,
                                             vectorDim);
    }
    case ScatterDimensionNumbersCode: {
      auto window = fields.dims(), inserted = fields.dims();
      auto batching = fields.dims(), indicesBatching = fields.dims();
      auto map = fields.dims();
      int64_t vectorDim = fields.integer();
      return ScatterDimensionNumbersAttr::get(
          context, window, inserted, batching, indicesBatching, map, vectorDim);
    }
    case TypeExtensionsCode: {
      auto bounds = fields.dims();
      return TypeExtensionsAttr::get(context, bounds);
    }
    case OutputOperandAliasCode: {
      auto output = fields.dims();
      int64_t index = fields.integer();
      auto operand = fields.dims();
      return OutputOperandAliasAttr::get(context, output, index, operand);
    }
    case DotAlgorithmCode: {
      Type lhs = fields.type(), rhs = fields.type(), sum = fields.type();
      int64_t lhsCount = fields.integer(), rhsCount = fields.integer();
      int64_t operations = fields.integer(), imprecise = fields.integer();
      if (fields.failed)
        return {};
      return DotAlgorithmAttr::get(context, lhs, rhs, sum, lhsCount, rhsCount,
                                   operations, imprecise != 0);
    }
    case ComparisonDirectionCode:
      return fields.enumeration<ComparisonDirectionAttr>(
          context, [](uint32_t v) { return symbolizeComparisonDirection(v); });
    case ComparisonTypeCode:
      return fields.enumeration<ComparisonTypeAttr>(
          context, [](uint32_t v) { return symbolizeComparisonType(v); });
    case FftTypeCode:
      return fields.enumeration<FftTypeAttr>(
          context, [](uint32_t v) { return symbolizeFftType(v); });
    case PrecisionCode:
      return fields.enumeration<PrecisionAttr>(
          context, [](uint32_t v) { return symbolizePrecision(v); });
    case RngAlgorithmCode:
      return fields.enumeration<RngAlgorithmAttr>(
          context, [](uint32_t v) { return symbolizeRngAlgorithm(v); });
    case RngDistributionCode:
      return fields.enumeration<RngDistributionAttr>(
          context, [](uint32_t v) { return symbolizeRngDistribution(v); });
    case TransposeCode:
      return fields.enumeration<TransposeAttr>(
          context, [](uint32_t v) { return symbolizeTranspose(v); });
    case ResultAccuracyModeCode:
      return fields.enumeration<ResultAccuracyModeAttr>(
          context, [](uint32_t v) { return symbolizeResultAccuracyMode(v); });
    default:
      reader.emitError() << "unknown attribute of the stablehlo dialect: "
                         << code;
      return {};
    }
  }
};

} // namespace

void StableHloDialect::registerBytecode() {
  addInterfaces<BytecodeInterface>();
}

} // namespace heddle::stablehlo
