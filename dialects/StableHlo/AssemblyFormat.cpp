// Directives of StableHLO's text that ODS cannot express: short types, optional
// attributes.

#include "dialects/StableHlo/AssemblyFormat.h"

using namespace mlir;

namespace heddle::stablehlo {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

ParseResult detail::parseSameTypes(OpAsmParser &parser,
                                   ArrayRef<Type *> operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != operands.size() ||
        function.getNumResults() != 1)
      return parser.emitError(loc)
             << operands.size() << " operand types and 1 result type wanted";
    for (auto [operand, input] : llvm::zip(operands, function.getInputs()))
      *operand = input;
    result = function.getResult(0);
    return success();
  }
  for (Type *operand : operands)
    *operand = type;
  result = type;
  return success();
}

static void printFunctionType(OpAsmPrinter &printer, TypeRange operands,
                              TypeRange results) {
  printer.printFunctionalType(operands, results);
}

void detail::printSameTypes(OpAsmPrinter &printer, TypeRange operands,
                            Type result) {
  if (llvm::all_of(operands, [&](Type type) { return type == result; }))
    printer << result;
  else
    printFunctionType(printer, operands, result);
}

ParseResult parseVariadicSameOperandsAndResultType(
    OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> operands,
    SmallVectorImpl<Type> &operandTypes, Type &result) {
  operandTypes.resize(operands.size());
  SmallVector<Type *> pointers;
  for (Type &type : operandTypes)
    pointers.push_back(&type);
  return detail::parseSameTypes(parser, pointers, result);
}

void printVariadicSameOperandsAndResultType(OpAsmPrinter &printer, Operation *,
                                            OperandRange,
                                            TypeRange operandTypes,
                                            Type result) {
  detail::printSameTypes(printer, operandTypes, result);
}

/// The type of the real and imaginary part of tensors of type `type`.
static Type partType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  return complex ? Type(tensor.clone(complex.getElementType())) : Type();
}

ParseResult parseComplexOpType(OpAsmParser &parser, Type &lhs, Type &rhs,
                               Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != 2 || function.getNumResults() != 1)
      return parser.emitError(loc)
             << "2 operand types and 1 result type wanted";
    lhs = function.getInput(0);
    rhs = function.getInput(1);
    result = function.getResult(0);
    return success();
  }
  lhs = rhs = partType(type);
  result = type;
  if (!lhs)
    return parser.emitError(loc) << "tensor of complex type wanted";
  return success();
}

void printComplexOpType(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs,
                        Type result) {
  if (lhs == rhs && lhs == partType(result))
    printer << result;
  else
    printFunctionType(printer, {lhs, rhs}, result);
}

ParseResult parseSelectOpType(OpAsmParser &parser, Type &pred, Type &onTrue,
                              Type &onFalse, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<Type> types;
  if (parser.parseTypeList(types))
    return failure();
  if (types.size() == 2) {
    pred = types[0];
    onTrue = onFalse = result = types[1];
    return success();
  }
  auto function =
      types.size() == 1 ? dyn_cast<FunctionType>(types[0]) : FunctionType();
  if (!function || function.getNumInputs() != 3 ||
      function.getNumResults() != 1)
    return parser.emitError(loc)
           << "types of pred and of the values, or a function type of 3 "
              "operands and 1 result wanted";
  pred = function.getInput(0);
  onTrue = function.getInput(1);
  onFalse = function.getInput(2);
  result = function.getResult(0);
  return success();
}

void printSelectOpType(OpAsmPrinter &printer, Operation *, Type pred,
                       Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << pred << ", " << result;
  else
    printFunctionType(printer, {pred, onTrue, onFalse}, result);
}

ParseResult parseTupleOpType(OpAsmParser &parser,
                             SmallVectorImpl<Type> &operands, Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(loc) << "tuple type wanted";
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange,
                      Type result) {
  printer << result;
}

ParseResult parsePairwiseOpType(OpAsmParser &parser,
                                SmallVectorImpl<Type> &operands,
                                SmallVectorImpl<Type> &results) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseTypeList(operands))
    return failure();
  if (operands.size() == 1)
    if (auto function = dyn_cast<FunctionType>(operands.front())) {
      operands.assign(function.getInputs().begin(), function.getInputs().end());
      results.assign(function.getResults().begin(),
                     function.getResults().end());
      if (operands.size() != results.size())
        return parser.emitError(loc) << "as many results as operands wanted";
      return success();
    }
  results.assign(operands.begin(), operands.end());
  return success();
}

void printPairwiseOpType(OpAsmPrinter &printer, Operation *, TypeRange operands,
                         TypeRange results) {
  if (operands == results)
    llvm::interleaveComma(operands, printer);
  else
    printFunctionType(printer, operands, results);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts,
                             DenseI64ArrayAttr &limits,
                             DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> start, limit, stride;
  auto parseRange = [&]() -> ParseResult {
    stride.push_back(1);
    if (parser.parseInteger(start.emplace_back()) || parser.parseColon() ||
        parser.parseInteger(limit.emplace_back()))
      return failure();
    if (succeeded(parser.parseOptionalColon()))
      return parser.parseInteger(stride.back());
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                     parseRange))
    return failure();
  Builder &builder = parser.getBuilder();
  starts = builder.getDenseI64ArrayAttr(start);
  limits = builder.getDenseI64ArrayAttr(limit);
  strides = builder.getDenseI64ArrayAttr(stride);
  return success();
}

void printSliceRanges(OpAsmPrinter &printer, Operation *,
                      DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                      DenseI64ArrayAttr strides) {
  // The lists may differ in length: what does not verify is printed too.
  size_t rank = std::min({starts.size(), limits.size(), strides.size()});
  printer << "[";
  llvm::interleaveComma(llvm::seq<size_t>(0, rank), printer, [&](size_t i) {
    printer << starts[i] << ":" << limits[i];
    if (strides[i] != 1)
      printer << ":" << strides[i];
  });
  printer << "]";
}

ParseResult parseVariadicOperandWithAttribute(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult result = parser.parseOptionalOperand(operand);
    if (!result.has_value())
      return success();
    if (failed(*result) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}

void printVariadicOperandWithAttribute(OpAsmPrinter &printer, Operation *,
                                       OperandRange operands) {
  for (Value operand : operands) {
    printer.printOperand(operand);
    printer << ", ";
  }
}

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef format;
  int32_t e, m;
  if (parser.parseKeyword(&format))
    return failure();
  StringRef rest = format;
  if (!rest.consume_front("e") || rest.consumeInteger(10, e) ||
      !rest.consume_front("m") || rest.consumeInteger(10, m) || !rest.empty())
    return parser.emitError(loc)
           << "format such as e8m10 wanted, found '" << format << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(e);
  mantissa = parser.getBuilder().getI32IntegerAttr(m);
  return success();
}

void printExponentMantissa(OpAsmPrinter &printer, Operation *,
                           IntegerAttr exponent, IntegerAttr mantissa) {
  printer << "e" << exponent.getValue() << "m" << mantissa.getValue();
}

ParseResult parseCustomCallTarget(AsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}

void printCustomCallTarget(AsmPrinter &printer, Operation *,
                           StringAttr target) {
  printer.printSymbolName(target.getValue());
}

FailureOr<SmallVector<int64_t>> parseDims(AsmParser &parser) {
  SmallVector<int64_t> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parser.parseInteger(dims.emplace_back());
      }))
    return failure();
  return dims;
}

void printDims(AsmPrinter &printer, ArrayRef<int64_t> dims) {
  printer << "[";
  llvm::interleaveComma(dims, printer);
  printer << "]";
}

/// `[0] x [1]`.
static ParseResult parseDimsPair(AsmParser &parser, SmallVector<int64_t> &lhs,
                                 SmallVector<int64_t> &rhs) {
  FailureOr<SmallVector<int64_t>> left = parseDims(parser);
  if (failed(left) || parser.parseKeyword("x"))
    return failure();
  FailureOr<SmallVector<int64_t>> right = parseDims(parser);
  if (failed(right))
    return failure();
  lhs = std::move(*left);
  rhs = std::move(*right);
  return success();
}

ParseResult parseDotDimensionNumbers(AsmParser &parser,
                                     DotDimensionNumbersAttr &numbers) {
  SmallVector<int64_t> lhsBatch, rhsBatch, lhsContract, rhsContract;
  if (succeeded(parser.parseOptionalKeyword("batching_dims")))
    if (parser.parseEqual() || parseDimsPair(parser, lhsBatch, rhsBatch) ||
        parser.parseComma())
      return failure();
  if (parser.parseKeyword("contracting_dims") || parser.parseEqual() ||
      parseDimsPair(parser, lhsContract, rhsContract))
    return failure();
  numbers = DotDimensionNumbersAttr::get(parser.getContext(), lhsBatch,
                                         rhsBatch, lhsContract, rhsContract);
  return success();
}

void printDotDimensionNumbers(AsmPrinter &printer, Operation *,
                              DotDimensionNumbersAttr numbers) {
  if (!numbers.getLhsBatchingDimensions().empty() ||
      !numbers.getRhsBatchingDimensions().empty()) {
    printer << "batching_dims = ";
    printDims(printer, numbers.getLhsBatchingDimensions());
    printer << " x ";
    printDims(printer, numbers.getRhsBatchingDimensions());
    printer << ", ";
  }
  printer << "contracting_dims = ";
  printDims(printer, numbers.getLhsContractingDimensions());
  printer << " x ";
  printDims(printer, numbers.getRhsContractingDimensions());
}

/// `= [DEFAULT, HIGHEST]`.
static ParseResult parsePrecisions(OpAsmParser &parser, ArrayAttr &precision) {
  SmallVector<Attribute> values;
  auto parseOne = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Precision> value = symbolizePrecision(keyword);
    if (!value)
      return parser.emitError(loc) << "unknown precision '" << keyword << "'";
    values.push_back(PrecisionAttr::get(parser.getContext(), *value));
    return success();
  };
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  precision = parser.getBuilder().getArrayAttr(values);
  return success();
}

ParseResult parsePrecisionConfig(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  if (parser.parseKeyword("precision"))
    return failure();
  return parsePrecisions(parser, precision);
}

void printPrecisionConfig(OpAsmPrinter &printer, Operation *,
                          ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision, printer, [&](Attribute value) {
    printer << stringifyPrecision(cast<PrecisionAttr>(value).getValue());
  });
  printer << "]";
}

ParseResult parsePrecisionConfigAndAlgorithm(OpAsmParser &parser,
                                             ArrayAttr &precision,
                                             DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (!precision && succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisions(parser, precision))
        return failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    Attribute value = DotAlgorithmAttr::parse(parser, Type());
    if (!value)
      return failure();
    algorithm = cast<DotAlgorithmAttr>(value);
    return success();
  }
  return success();
}

void printPrecisionConfigAndAlgorithm(OpAsmPrinter &printer, Operation *op,
                                      ArrayAttr precision,
                                      DotAlgorithmAttr algorithm) {
  printPrecisionConfig(printer, op, precision);
  if (!algorithm)
    return;
  printer << ", algorithm = ";
  algorithm.print(printer);
}

} // namespace heddle::stablehlo
