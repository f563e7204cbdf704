// Text of reduce, while and composite.

#include "dialects/StableHlo/RegionFormat.h"

using namespace mlir;

namespace heddle::stablehlo {

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// The binary operation of a body that does nothing but combine its two
/// arguments, if its text can be left out.
static Operation *onlyOperation(ReduceOp op) {
  if (op.getInputs().size() != 1 || op->getNumResults() != 1)
    return nullptr;
  Block &block = op.getBody().front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation *inner = &block.front();
  Type scalar = op.getInitValues().front().getType();
  if (inner->getNumOperands() != 2 || inner->getNumResults() != 1 ||
      inner->getOperand(0) != block.getArgument(0) ||
      inner->getOperand(1) != block.getArgument(1) ||
      inner->getResultTypes().front() != scalar ||
      block.getArgument(0).getType() != scalar ||
      block.getArgument(1).getType() != scalar)
    return nullptr;
  Operation *terminator = block.getTerminator();
  if (!isa<StableHloDialect>(inner->getDialect()) ||
      inner->getNumRegions() != 0 || !inner->getAttrDictionary().empty() ||
      terminator->getOperands() != ValueRange(inner->getResults()))
    return nullptr;
  return inner;
}

/// `name` on two scalars, returned: the body behind `applies name`.
static ParseResult buildOnlyOperation(OpAsmParser &parser, OperationName name,
                                      Type scalar, Region &body) {
  Location loc = parser.getEncodedSourceLoc(parser.getCurrentLocation());
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState state(loc, name);
  state.addOperands(block.getArguments());
  state.addTypes(scalar);
  Operation *inner = builder.create(state);
  ReturnOp::create(builder, loc, inner->getResults());
  return success();
}

ParseResult parseReduce(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));

  std::optional<OperationName> applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    if (!name->isRegistered() || name->getDialectNamespace() != "stablehlo")
      return parser.emitError(loc)
             << "'" << *name << "' is not a StableHLO operation";
    applied = *name;
  }

  SmallVector<int64_t> dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square,
          [&] { return parser.parseInteger(dimensions.emplace_back()); }) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(type))
    return failure();
  result.addAttribute("dimensions",
                      parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  result.addTypes(type.getResults());
  inputs.append(inits);
  if (parser.resolveOperands(inputs, type.getInputs(), loc, result.operands))
    return failure();

  Region *body = result.addRegion();
  if (applied) {
    auto init = type.getNumInputs() == 2
                    ? dyn_cast<RankedTensorType>(type.getInput(1))
                    : RankedTensorType();
    if (!init)
      return parser.emitError(loc) << "'applies' takes one input and its init";
    return buildOnlyOperation(parser, *applied, init, *body);
  }

  // One pair (accumulator, element) per input; the block has all accumulators
  // first.
  SmallVector<OpAsmParser::Argument> accumulators, elements;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < inits.size(); ++i)
    if (parser.parseLParen() ||
        parser.parseArgument(accumulators.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(elements.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen())
      return failure();
  accumulators.append(elements);
  return parser.parseRegion(*body, accumulators);
}

void printReduce(OpAsmPrinter &printer, ReduceOp op) {
  llvm::interleaveComma(llvm::zip(op.getInputs(), op.getInitValues()), printer,
                        [&](auto pair) {
                          printer << "(" << std::get<0>(pair)
                                  << " init: " << std::get<1>(pair) << ")";
                        });
  Operation *inner = onlyOperation(op);
  if (inner)
    printer << " applies " << inner->getName();
  printer << " across dimensions = [";
  llvm::interleaveComma(op.getDimensions(), printer);
  printer << "]";
  printer.printOptionalAttrDict(op->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(op);
  if (inner)
    return;
  printer.printNewline();
  printer << " reducer";
  size_t count = op.getInputs().size();
  Block &block = op.getBody().front();
  // A body of another number of arguments does not verify, but is printed.
  for (size_t i = 0; 2 * i + 1 < block.getNumArguments() && i < count; ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + count));
    printer << ") ";
  }
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// while
//===----------------------------------------------------------------------===//

ParseResult parseWhile(OpAsmParser &parser, OperationState &result) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseOne = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseOne))
    return failure();
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalColon()) && parser.parseTypeList(types))
    return failure();
  if (parser.resolveOperands(operands, types, loc, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip(arguments, types))
    argument.type = type;
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) ||
                 parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void printWhile(OpAsmPrinter &printer, WhileOp op) {
  // Sibling regions number their arguments alike, so that the names of the
  // body's serve for the condition too.
  printer << "(";
  llvm::interleaveComma(llvm::zip(op.getBody().getArguments(), op.getOperand()),
                        printer, [&](auto pair) {
                          printer << std::get<0>(pair) << " = "
                                  << std::get<1>(pair);
                        });
  printer << ")";
  if (op->getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(op->getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer.printNewline();
  printer << " cond ";
  printer.printRegion(op.getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(op.getBody(), /*printEntryBlockArgs=*/false);
}

} // namespace heddle::stablehlo
