// Walks from a constant value to all that it is computed from.

#include "passes/Lower/Weights/ConstantSlice.h"

using namespace mlir;

std::optional<llvm::SetVector<Operation *>>
heddle::constantSlice(Operation *op, function_ref<bool(Operation *)> takes) {
  if (!takes(op))
    return std::nullopt;
  llvm::SetVector<Operation *> slice;
  // Depth first, by a stack of its own: programs may be long.
  SmallVector<std::pair<Operation *, unsigned>> stack = {{op, 0}};
  while (!stack.empty()) {
    auto &[step, operand] = stack.back();
    if (operand == step->getNumOperands()) {
      slice.insert(step);
      stack.pop_back();
      continue;
    }
    Operation *source = step->getOperand(operand++).getDefiningOp();
    if (slice.contains(source))
      continue;
    if (!takes(source))
      return std::nullopt;
    stack.push_back({source, 0});
  }
  return slice;
}
