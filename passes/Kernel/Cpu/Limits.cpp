// Checks how far the dimensions of a root run, and emits it as numbers and masks.

#include "passes/Kernel/Cpu/Limits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace heddle {

LogicalResult checkLimits(const KernelFrame &frame, Operation *op,
                          ValueRange limits) {
  for (Value limit : limits)
    if (!frame.argument(limit) && !matchPattern(limit, m_Constant()))
      return op->emitOpError("has a limit that is neither a number of the "
                             "launch nor a constant");
  return success();
}

Value resolveLimit(KernelFrame &frame, IndexBuilder &index, Value limit,
                   int64_t extent) {
  if (!limit)
    return {};
  return index.max(index.constant(0),
                   index.min(frame.scalar(limit), index.constant(extent)));
}

Value both(IndexBuilder &index, Value left, Value right) {
  if (!left || !right)
    return left ? left : right;
  return arith::AndIOp::create(index.builder, index.loc, left, right);
}

Value isBefore(IndexBuilder &index, ArrayRef<Value> position,
               ArrayRef<Value> limits) {
  Value result;
  for (auto [at, limit] : llvm::zip_equal(position, limits))
    if (limit)
      result = both(index, result, index.less(at, limit));
  return result;
}

void emitWhere(IndexBuilder &index, Value condition,
               function_ref<void()> body) {
  if (condition)
    index.branch(condition, body);
  else
    body();
}

} // namespace heddle
