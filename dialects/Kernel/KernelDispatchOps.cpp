// Text and verifiers of composites, dispatches, launches and weights.

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace heddle::kernel;

#define GET_OP_CLASSES
#include "dialects/Kernel/KernelOps.cpp.inc"

/// The body must yield values of the given types.
static LogicalResult verifyYield(Operation *op, Block &body, TypeRange types) {
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return op->emitOpError() << "wants a body that ends in kernel.yield";
  if (yield.getOperandTypes() != types)
    return yield.emitOpError() << "gives (" << yield.getOperandTypes()
                               << "), wanted (" << types << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// CompositeOp and DispatchOp
//===----------------------------------------------------------------------===//

LogicalResult CompositeOp::verifyRegions() {
  Block &body = getBody().front();
  if (body.getNumArguments() != 0)
    return emitOpError() << "has a region with arguments";
  return verifyYield(*this, body, getResultTypes());
}

ParseResult DispatchOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseBinding = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  SMLoc operandLoc = parser.getCurrentLocation();
  SmallVector<Type> results;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     parseBinding) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseArrowTypeList(results) ||
      parser.parseRegion(*result.addRegion(), arguments))
    return failure();
  result.addTypes(results);
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](const OpAsmParser::Argument &a) { return a.type; });
  return parser.resolveOperands(operands, types, operandLoc, result.operands);
}

void DispatchOp::print(OpAsmPrinter &printer) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(getBody().getArguments(), getInputs()),
                        printer, [&](auto pair) {
                          auto [argument, operand] = pair;
                          printer << argument << " = " << operand << " : "
                                  << operand.getType();
                        });
  printer << ')';
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " -> ";
  bool single = getNumResults() == 1;
  if (!single)
    printer << '(';
  llvm::interleaveComma(getResultTypes(), printer);
  if (!single)
    printer << ')';
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult DispatchOp::verifyRegions() {
  if (getBody().getArgumentTypes() != getInputs().getTypes())
    return emitOpError() << "has a body that takes ("
                         << getBody().getArgumentTypes() << ") and operands ("
                         << getInputs().getTypes() << ")";
  if (!llvm::is_sorted(getInputs().getTypes(), [](Type a, Type b) {
        return !a.isIndex() && b.isIndex();
      }))
    return emitOpError() << "has a size before a tensor";
  return verifyYield(*this, getBody().front(), getResultTypes());
}

//===----------------------------------------------------------------------===//
// LaunchOp
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto function =
      symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getKernelAttr());
  // A lowered kernel takes buffers: its types say nothing any more.
  if (function && function->hasAttr(kTilesAttrName))
    return success();
  if (!function || !function->hasAttr(kEntryAttrName))
    return emitOpError() << "launches '" << getKernel()
                         << "', which is no kernel function";
  FunctionType type = function.getFunctionType();
  SmallVector<Type> passed(getInputs().getTypes());
  llvm::append_range(passed, getSizes().getTypes());
  for (auto scalar : getScalars().getAsRange<TypedAttr>())
    passed.push_back(scalar.getType());
  if (TypeRange(type.getInputs()) != TypeRange(passed) ||
      TypeRange(type.getResults()) != TypeRange(getOutputs()))
    return emitOpError() << "does not fit the kernel's type " << type;
  return success();
}

//===----------------------------------------------------------------------===//
// WeightOp, WeightRefOp
//===----------------------------------------------------------------------===//

LogicalResult WeightOp::verify() {
  auto value = cast<RankedTensorType>(getValueType());
  if (!value.hasStaticShape())
    return emitOpError() << "wants a static shape, not " << value;
  if (getBlock().has_value() != getScale().has_value() ||
      (getZeroPoint() && !getScale()))
    return emitOpError() << "wants blocks where it has scales";
  if (std::optional<ArrayRef<int64_t>> block = getBlock();
      block && (block->empty() ||
                static_cast<int64_t>(block->size()) != value.getRank() ||
                llvm::any_of(*block, [](int64_t size) { return size < 1; })))
    return emitOpError() << "has blocks of [" << *block
                         << "], which are none of " << value;
  if (!getPacking())
    return success();
  if (!isPacking(*getPacking()))
    return emitOpError() << "has an unknown packing '" << *getPacking() << "'";
  if (!storedType(*getPacking(), value))
    return emitOpError() << "packing '" << *getPacking() << "' does not fit "
                         << value;
  return success();
}

LogicalResult WeightOp::verifySymbolUses(SymbolTableCollection &symbols) {
  SmallVector<int64_t> blocks;
  if (getScale())
    for (auto [extent, size] : llvm::zip_equal(
             cast<RankedTensorType>(getValueType()).getShape(), *getBlock()))
      blocks.push_back(llvm::divideCeil(extent, size));
  for (FlatSymbolRefAttr name : {getScaleAttr(), getZeroPointAttr()}) {
    if (!name)
      continue;
    auto weight = symbols.lookupNearestSymbolFrom<WeightOp>(*this, name);
    if (!weight)
      return emitOpError() << "names '" << name.getValue()
                           << "', which is no kernel.weight";
    if (weight.getScale())
      return emitOpError() << "is scaled by '" << name.getValue()
                           << "', which is scaled itself";
    auto type = cast<RankedTensorType>(weight.getValueType());
    if (type.getShape() != ArrayRef<int64_t>(blocks))
      return emitOpError() << "is scaled by '" << name.getValue()
                           << "' of type " << type
                           << ", wanted an element for each of [" << blocks
                           << "] blocks";
  }
  return success();
}

LogicalResult WeightOp::verifyRegions() {
  if (getBody().getNumArguments() != 0)
    return emitOpError() << "has a body with arguments; it may only read "
                            "constants";
  return verifyYield(*this, getBody().front(), getValueType());
}

RankedTensorType WeightOp::getStoredType() {
  auto value = cast<RankedTensorType>(getValueType());
  return getPacking() ? storedType(*getPacking(), value) : value;
}

LogicalResult WeightRefOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto weight =
      symbols.lookupNearestSymbolFrom<WeightOp>(*this, getWeightAttr());
  if (!weight)
    return emitOpError() << "names '" << getWeight()
                         << "', which is no kernel.weight";
  // Integers lose their sign by lowering; behind the fork what kernels do not
  // hold becomes the byte of its bits.
  RankedTensorType stored = weight.getStoredType();
  Type element = stored.getElementType();
  unsigned width = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  auto isHeldAs = [&](unsigned bits) {
    return getType() == stored.clone(IntegerType::get(getContext(), bits));
  };
  bool isHeld = stored == getType() ||
                (isa<IntegerType>(element) && isHeldAs(width)) ||
                (width > 1 && width <= 8 && isHeldAs(8));
  if (!isHeld)
    return emitOpError() << "is of type " << getType()
                         << ", but the weight is stored as "
                         << weight.getStoredType();
  return success();
}
