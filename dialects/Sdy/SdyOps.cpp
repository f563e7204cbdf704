// What operations of the sdy dialect must fulfil, but for collectives.

#include "dialects/Sdy/ShardingText.h"
#include "dialects/Sdy/ShardingVerification.h"
#include "dialects/Sdy/ValueShardings.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Sdy/SdyOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Sdy/SdyCollectiveOps.cpp.inc"

using namespace mlir;

namespace heddle::sdy {

LogicalResult MeshOp::verify() {
  return MeshAttr::verify([&] { return emitOpError(); }, getMesh().getAxes(),
                          getMesh().getDeviceIds());
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

/// Terms that are kept must stay terms of the same reduction; new ones are of a
/// sum.
static LogicalResult verifyUnreduced(Operation *op, Value input,
                                     TensorShardingAttr out) {
  TensorShardingAttr in = getSharding(input);
  if (!in || out.getUnreducedAxes().empty())
    return success();
  for (AxisRefAttr axis : out.getUnreducedAxes()) {
    bool kept = llvm::any_of(in.getUnreducedAxes(), [&](AxisRefAttr old) {
      return old.overlaps(axis);
    });
    if (kept && in.getReduction() != out.getReduction())
      return op->emitOpError()
             << "makes axis " << axis.text() << ", unreduced for "
             << stringifyReduction(in.getReduction()) << ", unreduced for "
             << stringifyReduction(out.getReduction());
    if (!kept && out.getReduction() != Reduction::Sum)
      return op->emitOpError()
             << "makes axis " << axis.text() << " unreduced for "
             << stringifyReduction(out.getReduction())
             << ": only terms of a sum can be made";
  }
  return success();
}

LogicalResult ShardingConstraintOp::verify() {
  if (failed(verifySharding(getSharding(), getType(), *this,
                            [&] { return emitOpError(); })))
    return failure();
  return verifyUnreduced(*this, getInput(), getSharding());
}

LogicalResult ReshardOp::verify() {
  if (failed(verifySharding(getSharding(), getType(), *this,
                            [&] { return emitOpError(); })))
    return failure();
  return verifyUnreduced(*this, getInput(), getSharding());
}

/// reshard(reshard(x, first), second) => reshard(x, second)
LogicalResult ReshardOp::canonicalize(ReshardOp op, PatternRewriter &rewriter) {
  auto inner = op.getInput().getDefiningOp<ReshardOp>();
  if (!inner || !inner->hasOneUse())
    return failure();
  rewriter.modifyOpInPlace(
      op, [&] { op.getInputMutable().assign(inner.getInput()); });
  rewriter.eraseOp(inner);
  return success();
}

LogicalResult PropagationBarrierOp::verify() {
  if (getAllowedDirection() == Direction::Both)
    return emitOpError() << "allows both directions: it bars nothing";
  return success();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value))
    return failure();
  result.getOrAddProperties<Properties>().value = value;
  result.addTypes(value.getShapedType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

//===----------------------------------------------------------------------===//
// Edges
//===----------------------------------------------------------------------===//

LogicalResult DataFlowEdgeOp::verify() {
  auto type = dyn_cast<ShapedType>(getType());
  if (type && !type.hasStaticShape())
    return emitOpError() << "has a result of type " << type
                         << "; a known shape is wanted";
  if (getSharding() && failed(verifySharding(*getSharding(), getType(), *this,
                                             [&] { return emitOpError(); })))
    return failure();
  if (!getInput().hasOneUse())
    return emitOpError() << "is not the only user of its operand";
  Operation *owner = getInput().getDefiningOp();
  if (owner && isa<SdyDialect>(owner->getDialect()) &&
      !isa<ManualComputationOp, NamedComputationOp>(owner)) {
    InFlightDiagnostic error =
        emitOpError() << "stands behind an operation of its own dialect, whose "
                         "results carry their sharding themselves";
    error.attachNote(owner->getLoc()) << "it is this one";
    return error;
  }
  return success();
}

LogicalResult FuncDataFlowEdgeOp::verify() {
  if (auto argument = dyn_cast<BlockArgument>(getInput())) {
    if (isa<FunctionOpInterface>(argument.getOwner()->getParentOp()) &&
        argument.getOwner()->isEntryBlock())
      return success();
  } else if (getInput().getDefiningOp<CallOpInterface>()) {
    return success();
  }
  return emitOpError() << "stands behind neither an argument of a function nor "
                          "a result of a call";
}

//===----------------------------------------------------------------------===//
// Named computations
//===----------------------------------------------------------------------===//

/// ` in_shardings=[...]`, where there are any.
static ParseResult parseNamedShardings(OpAsmParser &parser, StringRef name,
                                       TensorShardingPerValueAttr &shardings) {
  if (failed(parser.parseOptionalKeyword(name)))
    return success();
  return failure(parser.parseEqual() || parseShardings(parser, shardings));
}

ParseResult NamedComputationOp::parse(OpAsmParser &parser,
                                      OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  TensorShardingPerValueAttr in, out;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseAttribute(name) ||
      parser.parseGreater() ||
      parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) ||
      parseNamedShardings(parser, "in_shardings", in) ||
      parseNamedShardings(parser, "out_shardings", out) ||
      parseComputation(parser, result, operands, place))
    return failure();
  auto &properties = result.getOrAddProperties<Properties>();
  properties.name = name;
  properties.in_shardings = in;
  properties.out_shardings = out;
  return success();
}

void NamedComputationOp::print(OpAsmPrinter &printer) {
  printer << '<' << getNameAttr() << ">(" << getOperands() << ')';
  if (getInShardings()) {
    printer << " in_shardings=";
    printShardings(printer, *getInShardings());
  }
  if (getOutShardings()) {
    printer << " out_shardings=";
    printShardings(printer, *getOutShardings());
  }
  printComputation(printer, *this, {"name", "in_shardings", "out_shardings"});
}

LogicalResult NamedComputationOp::verify() {
  Block &body = getBody().front();
  auto end = dyn_cast<ReturnOp>(body.back());
  if (!end)
    return emitOpError() << "has a body that does not end in sdy.return";
  if (body.getArgumentTypes() != getOperandTypes())
    return emitOpError() << "passes " << getOperandTypes()
                         << " to a body that takes " << body.getArgumentTypes();
  if (end->getOperandTypes() != getResultTypes())
    return emitOpError() << "gives " << getResultTypes()
                         << ", but its body gives " << end->getOperandTypes();
  if (getInShardings() &&
      failed(verifyShardings(*getInShardings(), getOperandTypes(), *this,
                             "operand")))
    return failure();
  if (getOutShardings() &&
      failed(verifyShardings(*getOutShardings(), getResultTypes(), *this,
                             "result")))
    return failure();
  return success();
}

} // namespace heddle::sdy
