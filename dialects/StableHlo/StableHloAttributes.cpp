// Text and verifiers of the attributes of StableHLO.

#include "dialects/StableHlo/AssemblyFormat.h"
#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "dialects/StableHlo/StableHloEnums.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/StableHlo/StableHloTypes.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/StableHlo/StableHloAttributes.cpp.inc"

using namespace mlir;

namespace heddle::stablehlo {

void StableHloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/StableHlo/StableHloTypes.cpp.inc"
      >();
}

void StableHloDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHlo/StableHloAttributes.cpp.inc"
      >();
}

LogicalResult
FutureType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                   ArrayRef<Type> types) {
  for (Type type : types)
    if (!isa<RankedTensorType>(type))
      return emitError() << "a future of " << type << "; tensors are wanted";
  return success();
}

//===----------------------------------------------------------------------===//
// Attributes written as fields in any order
//===----------------------------------------------------------------------===//

namespace {
/// A field of `<key = value, ...>` and what reads its value.
struct Field {
  StringRef name;
  std::function<ParseResult()> parse;
};
} // namespace

/// Reads `<key = value, ...>`: fields in any order, each at most once. Those
/// named in `required` must be there.
static ParseResult parseFields(AsmParser &parser, ArrayRef<Field> fields,
                               ArrayRef<StringRef> required = {}) {
  SmallVector<StringRef> seen;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    const Field *field = llvm::find_if(
        fields, [&](const Field &field) { return field.name == name; });
    if (field == fields.end())
      return parser.emitError(loc) << "unknown field '" << name << "'";
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc) << "field '" << name << "' twice";
    seen.push_back(field->name);
    return field->parse();
  };
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseOne))
    return failure();
  for (StringRef name : required)
    if (!llvm::is_contained(seen, name))
      return parser.emitError(loc) << "field '" << name << "' is missing";
  return success();
}

static Field dims(AsmParser &parser, StringRef name,
                  SmallVector<int64_t> &value) {
  return {name, [&]() -> ParseResult {
            FailureOr<SmallVector<int64_t>> dims = parseDims(parser);
            if (failed(dims))
              return failure();
            value = std::move(*dims);
            return success();
          }};
}

static Field integer(AsmParser &parser, StringRef name, int64_t &value) {
  return {name, [&] { return parser.parseInteger(value); }};
}

static Field typeField(AsmParser &parser, StringRef name, Type &value) {
  return {name, [&] { return parser.parseType(value); }};
}

namespace {
/// Prints `<key = value, ...>` without what is empty or zero.
class FieldPrinter {
public:
  explicit FieldPrinter(AsmPrinter &printer) : printer(printer) {
    printer << "<";
  }
  ~FieldPrinter() { printer << ">"; }

  AsmPrinter &begin(StringRef name) {
    printer << separator << name << " = ";
    separator = ", ";
    return printer;
  }
  void dims(StringRef name, ArrayRef<int64_t> value) {
    if (!value.empty())
      printDims(begin(name), value);
  }
  void integer(StringRef name, int64_t value) {
    if (value != 0)
      begin(name) << value;
  }

private:
  AsmPrinter &printer;
  StringRef separator = "";
};
} // namespace

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatch, indicesBatch, toOperand;
  int64_t indexVectorDim = 0;
  if (parseFields(parser,
                  {dims(parser, "update_window_dims", window),
                   dims(parser, "inserted_window_dims", inserted),
                   dims(parser, "input_batching_dims", inputBatch),
                   dims(parser, "scatter_indices_batching_dims", indicesBatch),
                   dims(parser, "scatter_dims_to_operand_dims", toOperand),
                   integer(parser, "index_vector_dim", indexVectorDim)}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatch, indicesBatch,
             toOperand, indexVectorDim);
}

void ScatterDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("update_window_dims", getUpdateWindowDims());
  fields.dims("inserted_window_dims", getInsertedWindowDims());
  fields.dims("input_batching_dims", getInputBatchingDims());
  fields.dims("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  fields.dims("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  fields.integer("index_vector_dim", getIndexVectorDim());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatch, indicesBatch, indexMap;
  int64_t indexVectorDim = 0;
  if (parseFields(parser,
                  {dims(parser, "offset_dims", offset),
                   dims(parser, "collapsed_slice_dims", collapsed),
                   dims(parser, "operand_batching_dims", operandBatch),
                   dims(parser, "start_indices_batching_dims", indicesBatch),
                   dims(parser, "start_index_map", indexMap),
                   integer(parser, "index_vector_dim", indexVectorDim)}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatch, indicesBatch,
             indexMap, indexVectorDim);
}

void GatherDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("offset_dims", getOffsetDims());
  fields.dims("collapsed_slice_dims", getCollapsedSliceDims());
  fields.dims("operand_batching_dims", getOperandBatchingDims());
  fields.dims("start_indices_batching_dims", getStartIndicesBatchingDims());
  fields.dims("start_index_map", getStartIndexMap());
  fields.integer("index_vector_dim", getIndexVectorDim());
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  if (parseFields(parser,
                  {dims(parser, "lhs_batching_dimensions", lhsBatch),
                   dims(parser, "rhs_batching_dimensions", rhsBatch),
                   dims(parser, "lhs_contracting_dimensions", lhsContract),
                   dims(parser, "rhs_contracting_dimensions", rhsContract)}))
    return {};
  return get(parser.getContext(), lhsBatch, rhsBatch, lhsContract, rhsContract);
}

void DotDimensionNumbersAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  fields.dims("lhs_batching_dimensions", getLhsBatchingDimensions());
  fields.dims("rhs_batching_dimensions", getRhsBatchingDimensions());
  fields.dims("lhs_contracting_dimensions", getLhsContractingDimensions());
  fields.dims("rhs_contracting_dimensions", getRhsContractingDimensions());
}

Attribute DotAlgorithmAttr::parse(AsmParser &parser, Type) {
  Type lhs, rhs, accumulation;
  int64_t lhsCount = 0, rhsCount = 0, operations = 0;
  bool imprecise = false;
  auto parseImprecise = [&]() -> ParseResult {
    imprecise = succeeded(parser.parseOptionalKeyword("true"));
    return imprecise ? ParseResult(success()) : parser.parseKeyword("false");
  };
  if (parseFields(parser,
                  {typeField(parser, "lhs_precision_type", lhs),
                   typeField(parser, "rhs_precision_type", rhs),
                   typeField(parser, "accumulation_type", accumulation),
                   integer(parser, "lhs_component_count", lhsCount),
                   integer(parser, "rhs_component_count", rhsCount),
                   integer(parser, "num_primitive_operations", operations),
                   {"allow_imprecise_accumulation", parseImprecise}},
                  {"lhs_precision_type", "rhs_precision_type",
                   "accumulation_type", "lhs_component_count",
                   "rhs_component_count", "num_primitive_operations",
                   "allow_imprecise_accumulation"}))
    return {};
  return get(parser.getContext(), lhs, rhs, accumulation, lhsCount, rhsCount,
             operations, imprecise);
}

void DotAlgorithmAttr::print(AsmPrinter &printer) const {
  printer << "<lhs_precision_type = " << getLhsPrecisionType()
          << ", rhs_precision_type = " << getRhsPrecisionType()
          << ", accumulation_type = " << getAccumulationType()
          << ", lhs_component_count = " << getLhsComponentCount()
          << ", rhs_component_count = " << getRhsComponentCount()
          << ", num_primitive_operations = " << getNumPrimitiveOperations()
          << ", allow_imprecise_accumulation = "
          << (getAllowImpreciseAccumulation() ? "true" : "false") << ">";
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw"))) {
    // The long form names every number: <raw input_batch_dimension = 0, ...>.
    int64_t inputBatch = 0, inputFeature = 0, kernelInput = 0, kernelOutput = 0,
            outputBatch = 0, outputFeature = 0;
    SmallVector<int64_t> input, kernel, output;
    Field fields[] = {
        integer(parser, "input_batch_dimension", inputBatch),
        integer(parser, "input_feature_dimension", inputFeature),
        dims(parser, "input_spatial_dimensions", input),
        integer(parser, "kernel_input_feature_dimension", kernelInput),
        integer(parser, "kernel_output_feature_dimension", kernelOutput),
        dims(parser, "kernel_spatial_dimensions", kernel),
        integer(parser, "output_batch_dimension", outputBatch),
        integer(parser, "output_feature_dimension", outputFeature),
        dims(parser, "output_spatial_dimensions", output)};
    do {
      SMLoc loc = parser.getCurrentLocation();
      StringRef name;
      if (parser.parseKeyword(&name) || parser.parseEqual())
        return {};
      const Field *field = llvm::find_if(
          fields, [&](const Field &field) { return field.name == name; });
      if (field == std::end(fields)) {
        parser.emitError(loc) << "unknown field '" << name << "'";
        return {};
      }
      if (field->parse())
        return {};
    } while (succeeded(parser.parseOptionalComma()));
    if (parser.parseGreater())
      return {};
    return get(parser.getContext(), inputBatch, inputFeature, input,
               kernelInput, kernelOutput, kernel, outputBatch, outputFeature,
               output);
  }
  ConvDimensionNumbersAttr numbers;
  if (parseConvolutionDimensions(parser, numbers) || parser.parseGreater())
    return {};
  return numbers;
}

void ConvDimensionNumbersAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printConvolutionDimensions(printer, nullptr, *this);
  printer << ">";
}

Attribute OutputOperandAliasAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> output, operand;
  int64_t index = 0;
  if (parseFields(
          parser,
          {dims(parser, "output_tuple_indices", output),
           integer(parser, "operand_index", index),
           dims(parser, "operand_tuple_indices", operand)},
          {"output_tuple_indices", "operand_index", "operand_tuple_indices"}))
    return {};
  return get(parser.getContext(), output, index, operand);
}

void OutputOperandAliasAttr::print(AsmPrinter &printer) const {
  printer << "<output_tuple_indices = ";
  printDims(printer, getOutputTupleIndices());
  printer << ", operand_index = " << getOperandIndex()
          << ", operand_tuple_indices = ";
  printDims(printer, getOperandTupleIndices());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

static ParseResult parseBound(AsmParser &parser, SmallVector<int64_t> &bounds) {
  if (succeeded(parser.parseOptionalQuestion())) {
    bounds.push_back(ShapedType::kDynamic);
    return success();
  }
  return parser.parseInteger(bounds.emplace_back());
}

Attribute TypeExtensionsAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> bounds;
  auto parseOne = [&] { return parseBound(parser, bounds); };
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("bounds"))) {
    if (parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return {};
  } else if (parser.parseCommaSeparatedList(parseOne)) {
    return {};
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), bounds);
}

void TypeExtensionsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getBounds(), printer, [&](int64_t bound) {
    if (ShapedType::isDynamic(bound))
      printer << "?";
    else
      printer << bound;
  });
  printer << ">";
}

LogicalResult TypeExtensionsAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (getBounds().size() != shape.size())
    return emitError() << "bounds of " << getBounds().size()
                       << " dimensions on a tensor of " << shape.size();
  for (auto [size, bound] : llvm::zip(shape, getBounds()))
    if (ShapedType::isStatic(size) && ShapedType::isStatic(bound))
      return emitError() << "dimension of the fixed size " << size
                         << " has the bound " << bound;
  return success();
}

//===----------------------------------------------------------------------===//
// Result accuracy
//===----------------------------------------------------------------------===//

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  APFloat atol(0.0), rtol(0.0);
  int64_t ulps = 0;
  auto mode = ResultAccuracyModeAttr::get(parser.getContext(),
                                          ResultAccuracyMode::DEFAULT);
  auto number = [&](APFloat &value) {
    return [&]() -> ParseResult {
      double parsed;
      if (parser.parseFloat(parsed))
        return failure();
      value = APFloat(parsed);
      return success();
    };
  };
  if (parseFields(parser,
                  {{"atol", number(atol)},
                   {"rtol", number(rtol)},
                   integer(parser, "ulps", ulps),
                   {"mode", [&] { return parser.parseAttribute(mode); }}}))
    return {};
  return parser.getChecked<ResultAccuracyAttr>(
      parser.getCurrentLocation(), parser.getContext(), atol, rtol, ulps, mode);
}

void ResultAccuracyAttr::print(AsmPrinter &printer) const {
  FieldPrinter fields(printer);
  if (!getAtol().isZero())
    fields.begin("atol") << getAtol();
  if (!getRtol().isZero())
    fields.begin("rtol") << getRtol();
  fields.integer("ulps", getUlps());
  fields.begin("mode") << getMode();
}

LogicalResult
ResultAccuracyAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                           APFloat atol, APFloat rtol, int64_t ulps,
                           ResultAccuracyModeAttr mode) {
  bool tolerance = mode.getValue() == ResultAccuracyMode::TOLERANCE;
  bool any = !atol.isZero() || !rtol.isZero() || ulps != 0;
  if (tolerance && !any)
    return emitError() << "mode TOLERANCE needs atol, rtol or ulps";
  if (!tolerance && any)
    return emitError() << "tolerances need mode TOLERANCE";
  if (atol.isNegative() || rtol.isNegative() || ulps < 0)
    return emitError() << "a tolerance is negative";
  return success();
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

Attribute MeshAttr::parse(AsmParser &parser, Type) {
  SmallVector<MeshAxisAttr> axes;
  DenseIntElementsAttr ids;
  auto parseAxes = [&]() -> ParseResult {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parser.parseCustomAttributeWithFallback(axes.emplace_back());
    });
  };
  if (parseFields(parser,
                  {{"axes", parseAxes},
                   {"device_ids", [&] { return parser.parseAttribute(ids); }}},
                  {"axes"}))
    return {};
  return get(parser.getContext(), axes, ids);
}

void MeshAttr::print(AsmPrinter &printer) const {
  printer << "<axes = [";
  llvm::interleaveComma(getAxes(), printer);
  printer << "]";
  if (getDeviceIds())
    printer << ", device_ids = " << getDeviceIds();
  printer << ">";
}

} // namespace heddle::stablehlo
