// reduce, with any region.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

bool heddle::lowerReduction(GraphLowering &lowering, Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  if (!reduce)
    return lowerReduceWindow(lowering, op);
  lowerOp(lowering, reduce);
  return true;
}
