// reduce and reduce_window, with any region.

#include "passes/Dispatch/GraphLowering.h"
#include "passes/Dispatch/ScalarOps.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static void lowerOp(GraphLowering &lowering, stablehlo::ReduceOp op) {
  OpBuilder &b = lowering.builder;
  Location loc = op.getLoc();
  SmallVector<Value> inputs = lowering.lowered(op.getInputs());
  int64_t rank = lowering.shapeOf(inputs.front()).size();
  SmallVector<AffineExpr> kept;
  SmallVector<utils::IteratorType> iterators;
  for (int64_t i = 0; i < rank; ++i) {
    bool reduced = llvm::is_contained(op.getDimensions(), i);
    iterators.push_back(reduced ? utils::IteratorType::reduction
                                : utils::IteratorType::parallel);
    if (!reduced)
      kept.push_back(b.getAffineDimExpr(i));
  }
  SmallVector<Value> inits;
  SmallVector<Type> types;
  for (auto [i, init] : llvm::enumerate(op.getInitValues())) {
    types.push_back(lowering.resultType(op, i));
    inits.push_back(lowering.filled(loc, init, lowering.resultType(op, i)));
  }
  SmallVector<AffineMap> maps(inputs.size(), b.getMultiDimIdentityMap(rank));
  maps.append(inputs.size(), AffineMap::get(rank, 0, kept, b.getContext()));

  Operation *culprit = nullptr;
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    // linalg passes elements first, the region wants accumulators first.
    SmallVector<Value> arguments(scalars.drop_front(inputs.size()));
    llvm::append_range(arguments, scalars.take_front(inputs.size()));
    FailureOr<SmallVector<Value>> results =
        emitScalarRegion(inner, op.getBody(), arguments, culprit);
    complete = succeeded(results);
    linalg::YieldOp::create(inner, at,
                            complete ? ValueRange(*results)
                                     : scalars.drop_front(inputs.size()));
  };
  auto generic = linalg::GenericOp::create(b, loc, types, inputs, inits, maps,
                                           iterators, body);
  if (!complete)
    return lowering.unsupported(
        op, "its region holds '" + culprit->getName().getStringRef() + "'");
  lowering.replace(op, generic.getResults());
}

static void lowerOp(GraphLowering &lowering, stablehlo::ReduceWindowOp op) {
  OpBuilder &b = lowering.builder;
  SmallVector<Value> inits;
  for (Value init : op.getInitValues()) {
    inits.push_back(lowering.scalarOf(init));
    if (!inits.back())
      return lowering.unsupported(op, "an initial value that is computed");
  }
  SmallVector<int64_t> padding;
  for (auto [low, high] : op.getPaddingOrDefault())
    padding.append({low, high});
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    types.push_back(lowering.resultType(op, i));
  auto window = kernel::ReduceWindowOp::create(
      b, op.getLoc(), types, lowering.lowered(op.getInputs()), inits,
      op.getWindowDimensions(), op.getWindowStridesOrDefault(), padding,
      op.getBaseDilationsOrDefault(), op.getWindowDilationsOrDefault());

  Block &block = window.getBody().emplaceBlock();
  SmallVector<Value> arguments;
  for (Value init : inits)
    block.addArgument(init.getType(), op.getLoc());
  for (Value input : window.getInputs())
    block.addArgument(cast<RankedTensorType>(input.getType()).getElementType(),
                      op.getLoc());
  OpBuilder inner = OpBuilder::atBlockEnd(&block);
  Operation *culprit = nullptr;
  FailureOr<SmallVector<Value>> results = emitScalarRegion(
      inner, op.getBody(), ValueRange(block.getArguments()), culprit);
  if (failed(results))
    return lowering.unsupported(
        op, "its region holds '" + culprit->getName().getStringRef() + "'");
  kernel::YieldOp::create(inner, op.getLoc(), *results);
  lowering.replace(op, window.getResults());
}

bool heddle::lowerReduction(GraphLowering &lowering, Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>([&](auto typed) {
        lowerOp(lowering, typed);
        return true;
      })
      .Default([](Operation *) { return false; });
}
