// An epilogue is written as far as its root runs. A mask counts beyond, too: it
// is there to put a number where the root left anything.

#include "passes/Dispatch/EpilogueLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

/// Whether one operand that may be anything is enough for the result to be
/// anything: no other operand bounds or replaces it. Floats may be NaN, which a
/// product with zero and a maximum keep.
static bool isStrict(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp,
             arith::RemFOp, arith::MaximumFOp, arith::MinimumFOp, arith::CmpFOp,
             arith::AddIOp, arith::SubIOp, arith::XOrIOp, arith::CmpIOp>(op);
}

/// Whether the result of `op`, of the payload, is nobody's where the operands
/// in `unknown` may hold anything.
static bool isUnknown(Operation *op, const llvm::DenseSet<Value> &unknown) {
  auto isIn = [&](Value operand) { return unknown.contains(operand); };
  if (op->getNumRegions() || op->getNumResults() != 1)
    return false;
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    bool either = isIn(select.getTrueValue()) || isIn(select.getFalseValue());
    bool both = isIn(select.getTrueValue()) && isIn(select.getFalseValue());
    return both || (either && isIn(select.getCondition()));
  }
  if (isStrict(op))
    return llvm::any_of(op->getOperands(), isIn);
  return op->getNumOperands() && llvm::all_of(op->getOperands(), isIn);
}

/// Whether `epilogue` gives nothing that counts at points where `result` may
/// hold anything.
static bool passesOn(linalg::GenericOp epilogue, Value result) {
  llvm::DenseSet<Value> unknown;
  for (OpOperand *operand : epilogue.getDpsInputOperands())
    if (operand->get() == result)
      unknown.insert(epilogue.getMatchingBlockArgument(operand));
  for (Operation &op : epilogue.getBody()->without_terminator())
    if (isUnknown(&op, unknown))
      unknown.insert(op.getResult(0));
  return llvm::all_of(epilogue.getBody()->getTerminator()->getOperands(),
                      [&](Value yielded) { return unknown.contains(yielded); });
}

void heddle::dropMaskedLimits(kernel::ContractOp root,
                              linalg::GenericOp epilogue) {
  if (root.getLimited().empty() || passesOn(epilogue, root.getResult()))
    return;
  SmallVector<std::pair<unsigned, Value>> kept;
  for (unsigned dim : root.getDims().k)
    if (Value limit = root.getLimit(dim))
      kept.push_back({dim, limit});
  llvm::sort(kept, llvm::less_first());
  root.setLimits(kept);
}

void heddle::dropMaskedLimits(kernel::AttentionOp root,
                              linalg::GenericOp epilogue) {
  if (!passesOn(epilogue, root.getResult()))
    root.setLimits({});
}
