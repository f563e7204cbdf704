// Emits the scalar regions of roots on lanes.

#include "passes/Kernel/Cpu/RegionPayload.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace heddle {

FailureOr<SmallVector<LaneValue>> emitRegion(LaneBuilder &lanes, Block &region,
                                             ArrayRef<LaneValue> arguments) {
  DenseMap<Value, LaneValue> values;
  for (auto [argument, value] : llvm::zip(region.getArguments(), arguments))
    values[argument] = value;
  for (Operation &op : region.without_terminator()) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0)
      return op.emitOpError("is not supported in the region of a kernel");
    if (matchPattern(&op, m_Constant())) {
      values[op.getResult(0)] = lanes.builder.clone(op)->getResult(0);
      continue;
    }
    bool vectors = llvm::any_of(op.getOperands(), [&](Value operand) {
      return values.lookup(operand).isVector();
    });
    OperationState state(op.getLoc(), op.getName());
    for (Value operand : op.getOperands()) {
      LaneValue value = values.lookup(operand);
      state.addOperands(vectors ? lanes.materialize(value) : value.value);
    }
    Type type = op.getResult(0).getType();
    state.addTypes(vectors ? lanes.lanesOf(type) : type);
    state.addAttributes(op.getAttrs());
    values[op.getResult(0)] = lanes.builder.create(state)->getResult(0);
  }
  SmallVector<LaneValue> results;
  for (Value yielded : region.getTerminator()->getOperands())
    results.push_back(values.lookup(yielded));
  return results;
}

} // namespace heddle
