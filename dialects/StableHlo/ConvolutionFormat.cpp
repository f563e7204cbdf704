// Text of a convolution's dimension numbers and window.

#include "dialects/StableHlo/AssemblyFormat.h"

using namespace mlir;

namespace heddle::stablehlo {

namespace {
/// One bracket of dimension numbers: where two named dimensions are, and where
/// spatial dimension i is.
struct Layout {
  int64_t first = -1, second = -1;
  SmallVector<int64_t> spatial;
};
} // namespace

/// `[b, 0, 1, f]` with `b` and `f` as the names.
static ParseResult parseLayout(AsmParser &parser, StringRef firstName,
                               StringRef secondName, Layout &layout) {
  SMLoc loc = parser.getCurrentLocation();
  int64_t position = 0;
  auto parseOne = [&]() -> ParseResult {
    int64_t dim;
    OptionalParseResult number = parser.parseOptionalInteger(dim);
    if (number.has_value()) {
      if (failed(*number))
        return failure();
      if (dim < 0 || dim > 64)
        return parser.emitError(loc) << "spatial dimension out of range";
      if (layout.spatial.size() <= static_cast<size_t>(dim))
        layout.spatial.resize(dim + 1, -1);
      if (layout.spatial[dim] != -1)
        return parser.emitError(loc) << "spatial dimension " << dim << " twice";
      layout.spatial[dim] = position++;
      return success();
    }
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    int64_t &slot = name == firstName ? layout.first : layout.second;
    if ((name != firstName && name != secondName) || slot != -1)
      return parser.emitError(loc) << "unexpected dimension '" << name << "'";
    slot = position++;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  if (layout.first == -1 || layout.second == -1)
    return parser.emitError(loc) << "dimensions '" << firstName << "' and '"
                                 << secondName << "' are both needed";
  if (llvm::is_contained(layout.spatial, -1))
    return parser.emitError(loc) << "spatial dimensions have gaps";
  return success();
}

ParseResult parseConvolutionDimensions(AsmParser &parser,
                                       ConvDimensionNumbersAttr &numbers) {
  Layout input, kernel, output;
  if (parseLayout(parser, "b", "f", input) || parser.parseKeyword("x") ||
      parseLayout(parser, "i", "o", kernel) || parser.parseArrow() ||
      parseLayout(parser, "b", "f", output))
    return failure();
  numbers = ConvDimensionNumbersAttr::get(
      parser.getContext(), input.first, input.second, input.spatial,
      kernel.first, kernel.second, kernel.spatial, output.first, output.second,
      output.spatial);
  return success();
}

static void printLayout(AsmPrinter &printer, StringRef firstName, int64_t first,
                        StringRef secondName, int64_t second,
                        ArrayRef<int64_t> spatial) {
  printer << "[";
  llvm::interleaveComma(llvm::seq<int64_t>(0, spatial.size() + 2), printer,
                        [&](int64_t position) {
                          if (position == first)
                            printer << firstName;
                          else if (position == second)
                            printer << secondName;
                          else
                            printer << llvm::find(spatial, position) -
                                           spatial.begin();
                        });
  printer << "]";
}

void printConvolutionDimensions(AsmPrinter &printer, Operation *,
                                ConvDimensionNumbersAttr numbers) {
  printLayout(printer, "b", numbers.getInputBatchDimension(), "f",
              numbers.getInputFeatureDimension(),
              numbers.getInputSpatialDimensions());
  printer << "x";
  printLayout(printer, "i", numbers.getKernelInputFeatureDimension(), "o",
              numbers.getKernelOutputFeatureDimension(),
              numbers.getKernelSpatialDimensions());
  printer << "->";
  printLayout(printer, "b", numbers.getOutputBatchDimension(), "f",
              numbers.getOutputFeatureDimension(),
              numbers.getOutputSpatialDimensions());
}

/// `[[1, 1], [0, 2]]`.
static ParseResult parsePadding(OpAsmParser &parser,
                                DenseIntElementsAttr &padding) {
  SmallVector<int64_t> values;
  int64_t rows = 0;
  auto parseRow = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    FailureOr<SmallVector<int64_t>> row = parseDims(parser);
    if (failed(row))
      return failure();
    if (row->size() != 2)
      return parser.emitError(loc) << "padding is a pair [low, high]";
    llvm::append_range(values, *row);
    ++rows;
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRow))
    return failure();
  auto type =
      RankedTensorType::get({rows, 2}, parser.getBuilder().getI64Type());
  padding = DenseIntElementsAttr::get(type, values);
  return success();
}

ParseResult parseWindowAttributes(OpAsmParser &parser,
                                  DenseI64ArrayAttr &strides,
                                  DenseIntElementsAttr &padding,
                                  DenseI64ArrayAttr &lhsDilation,
                                  DenseI64ArrayAttr &rhsDilation,
                                  DenseBoolArrayAttr &reversal) {
  auto parseList = [&](DenseI64ArrayAttr &attr) -> ParseResult {
    FailureOr<SmallVector<int64_t>> dims = parseDims(parser);
    if (failed(dims))
      return failure();
    attr = parser.getBuilder().getDenseI64ArrayAttr(*dims);
    return success();
  };
  auto parseReversal = [&]() -> ParseResult {
    SmallVector<bool> values;
    auto parseOne = [&]() -> ParseResult {
      // Both `true` and `1` are written.
      int64_t number;
      OptionalParseResult result = parser.parseOptionalInteger(number);
      if (result.has_value()) {
        values.push_back(succeeded(*result) && number != 0);
        return *result;
      }
      values.push_back(succeeded(parser.parseOptionalKeyword("true")));
      return values.back() ? ParseResult(success())
                           : parser.parseKeyword("false");
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
      return failure();
    reversal = parser.getBuilder().getDenseBoolArrayAttr(values);
    return success();
  };
  SmallVector<StringRef> seen;
  do {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    // `window = {}` is fine, `window = {stride = [1],}` is not.
    if (failed(parser.parseOptionalKeyword(&name)))
      return seen.empty() ? ParseResult(success())
                          : parser.emitError(loc, "window attribute wanted");
    if (llvm::is_contained(seen, name))
      return parser.emitError(loc) << "window attribute '" << name << "' twice";
    seen.push_back(name);
    if (parser.parseEqual())
      return failure();
    ParseResult result = success();
    if (name == "stride")
      result = parseList(strides);
    else if (name == "lhs_dilate")
      result = parseList(lhsDilation);
    else if (name == "rhs_dilate")
      result = parseList(rhsDilation);
    else if (name == "pad")
      result = parsePadding(parser, padding);
    else if (name == "reverse")
      result = parseReversal();
    else
      return parser.emitError(loc)
             << "unknown window attribute '" << name
             << "'; stride, pad, lhs_dilate, rhs_dilate and reverse are known";
    if (failed(result))
      return failure();
  } while (succeeded(parser.parseOptionalComma()));
  return success();
}

void printWindowAttributes(OpAsmPrinter &printer, Operation *,
                           DenseI64ArrayAttr strides,
                           DenseIntElementsAttr padding,
                           DenseI64ArrayAttr lhsDilation,
                           DenseI64ArrayAttr rhsDilation,
                           DenseBoolArrayAttr reversal) {
  StringRef separator = "";
  auto begin = [&](StringRef name) -> AsmPrinter & {
    printer << separator << name << " = ";
    separator = ", ";
    return printer;
  };
  if (strides)
    printDims(begin("stride"), strides.asArrayRef());
  if (padding) {
    begin("pad") << "[";
    SmallVector<int64_t> values(padding.getValues<int64_t>());
    llvm::interleaveComma(
        llvm::seq<size_t>(0, values.size() / 2), printer, [&](size_t i) {
          printer << "[" << values[2 * i] << ", " << values[2 * i + 1] << "]";
        });
    printer << "]";
  }
  if (lhsDilation)
    printDims(begin("lhs_dilate"), lhsDilation.asArrayRef());
  if (rhsDilation)
    printDims(begin("rhs_dilate"), rhsDilation.asArrayRef());
  if (reversal) {
    begin("reverse") << "[";
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool value) {
      printer << (value ? "true" : "false");
    });
    printer << "]";
  }
}

} // namespace heddle::stablehlo
