// Shardy's operations on one device.

#include "heddle/Support/Diagnostics.h"
#include "lib/Frontend/StableHlo/ShardyDialect.h"

using namespace mlir;

namespace heddle {

/// The body of a computation by hand takes its place.
static LogicalResult inlineBody(Operation *op) {
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock() ||
      op->getRegion(0).front().empty())
    return emitError(op->getLoc(), ErrorCode::StableHloParse)
           << "'" << op->getName() << "' has no body of one block";
  Block &body = op->getRegion(0).front();
  Operation *end = &body.back();
  if (end->getName().getStringRef() != "sdy.return" ||
      body.getArgumentTypes() != op->getOperandTypes() ||
      end->getOperandTypes() != op->getResultTypes()) {
    InFlightDiagnostic error =
        emitError(op->getLoc(), ErrorCode::StableHloOperator)
        << "'" << op->getName()
        << "' computes on parts of its operands; programs are compiled for "
           "one device";
    error.attachNote() << "export it for a mesh of one device";
    return error;
  }
  op->replaceAllUsesWith(end->getOperands());
  for (auto [argument, operand] :
       llvm::zip_equal(body.getArguments(), op->getOperands()))
    argument.replaceAllUsesWith(operand);
  // The results may have been the arguments.
  end->erase();
  op->getBlock()->getOperations().splice(op->getIterator(),
                                         body.getOperations());
  op->erase();
  return success();
}

LogicalResult dropShardyOperations(ModuleOp module) {
  SmallVector<Operation *> found;
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() == "sdy" && !op->isRegistered() &&
        op->getName().getStringRef() != "sdy.return")
      found.push_back(op);
  });
  // Inner ones come first.
  for (Operation *op : found) {
    StringRef name = op->getName().getStringRef();
    if (name == "sdy.mesh" || name == "sdy.sharding_group") {
      if (op->use_empty())
        op->erase();
    } else if (name == "sdy.sharding_constraint" || name == "sdy.reshard" ||
               name == "sdy.propagation_barrier") {
      if (op->getNumOperands() != 1 ||
          op->getOperandTypes() != op->getResultTypes())
        return emitError(op->getLoc(), ErrorCode::StableHloParse)
               << "'" << name << "' must give its operand";
      op->replaceAllUsesWith(op->getOperands());
      op->erase();
    } else if (name == "sdy.manual_computation") {
      if (failed(inlineBody(op)))
        return failure();
    }
  }
  return success();
}

} // namespace heddle
