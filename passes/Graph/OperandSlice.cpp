// Walks from a value to all that it is computed by.

#include "passes/Graph/OperandSlice.h"

using namespace mlir;

std::optional<llvm::SetVector<Operation *>>
heddle::operandSlice(Operation *op, function_ref<bool(Operation *)> takes,
                     function_ref<bool(Value)> isInput) {
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
    Value value = step->getOperand(operand++);
    Operation *source = value.getDefiningOp();
    if (isInput(value) || (source && slice.contains(source)))
      continue;
    if (!source || !takes(source))
      return std::nullopt;
    stack.push_back({source, 0});
  }
  return slice;
}
