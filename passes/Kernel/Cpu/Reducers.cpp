// Finds the operation and the identity of a reduction whose lanes can be joined
// at the end.

#include "passes/Kernel/Cpu/Reducers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

Value Reducer::combine(OpBuilder &builder, Location loc, Value left,
                       Value right) const {
  OperationState state(loc, combiner->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.addAttributes(combiner->getAttrs());
  return builder.create(state)->getResult(0);
}

/// arith names the identity of most kinds; of a sum of floats it is -0, which
/// keeps the sign of a sum of -0.
static TypedAttr identityOf(Operation *op) {
  if (!isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp,
           arith::MaxNumFOp, arith::MinNumFOp, arith::AddIOp, arith::MulIOp,
           arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp,
           arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return {};
  std::optional<TypedAttr> identity = arith::getNeutralElement(op);
  return identity ? *identity : TypedAttr();
}

Reducer matchReducer(Block &payload, BlockArgument accumulator,
                     unsigned number) {
  Operation *combiner =
      payload.getTerminator()->getOperand(number).getDefiningOp();
  if (!combiner || !accumulator.hasOneUse() ||
      *accumulator.user_begin() != combiner || !combiner->hasOneUse())
    return {};
  Reducer reducer;
  reducer.identity = identityOf(combiner);
  if (reducer.identity)
    reducer.combiner = combiner;
  return reducer;
}

Value combineLanes(OpBuilder &builder, Location loc, const Reducer &reducer,
                   Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  while (lanes > 1) {
    lanes /= 2;
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes; ++lane) {
      low.push_back(lane);
      high.push_back(lane + lanes);
    }
    Value left = vector::ShuffleOp::create(builder, loc, vector, vector, low);
    Value right = vector::ShuffleOp::create(builder, loc, vector, vector, high);
    vector = reducer.combine(builder, loc, left, right);
  }
  return vector::ExtractOp::create(builder, loc, vector, ArrayRef<int64_t>{0});
}

} // namespace heddle
