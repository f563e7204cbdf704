// Composites that are one formula for each point.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarRegion.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

/// A formula over all points of tensors of one shape, with several results: one
/// generic, whose payload is the decomposition.
static void lowerPointwise(GraphLowering &lowering, stablehlo::CompositeOp op) {
  OpBuilder &b = lowering.builder;
  auto formula = op->getParentOfType<ModuleOp>().lookupSymbol<func::FuncOp>(
      op.getDecomposition());
  SmallVector<Value> inputs = lowering.lowered(op.getInputs()), inits;
  SmallVector<Type> types;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    RankedTensorType type = lowering.resultType(op, i);
    types.push_back(type);
    inits.push_back(tensor::EmptyOp::create(b, op.getLoc(), type.getShape(),
                                            type.getElementType(),
                                            type.getEncoding()));
  }
  int64_t rank = lowering.shapeOf(inputs.front()).size();
  SmallVector<AffineMap> maps(inputs.size() + inits.size(),
                              b.getMultiDimIdentityMap(rank));
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  Operation *culprit = nullptr;
  bool complete = true;
  auto body = [&](OpBuilder &inner, Location at, ValueRange scalars) {
    FailureOr<SmallVector<Value>> results = emitScalarRegion(
        inner, formula.getBody(), scalars.take_front(inputs.size()), culprit);
    complete = succeeded(results);
    linalg::YieldOp::create(inner, at,
                            complete ? ValueRange(*results)
                                     : scalars.drop_front(inputs.size()));
  };
  auto generic = linalg::GenericOp::create(b, op.getLoc(), types, inputs, inits,
                                           maps, iterators, body);
  if (!complete)
    return lowering.unsupported(
        op, "its formula holds '" + culprit->getName().getStringRef() + "'");
  lowering.replace(op, generic.getResults());
}

bool heddle::lowerComposite(GraphLowering &lowering, Operation *op) {
  auto composite = dyn_cast<stablehlo::CompositeOp>(op);
  if (!composite || !composite.getName().starts_with("heddle.complex_"))
    return false;
  lowerPointwise(lowering, composite);
  return true;
}
