// Loops over the points of one tensor.

#include "passes/Lower/Pointwise.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

Value heddle::createPointwise(OpBuilder &builder, Location loc,
                              RankedTensorType type, ValueRange inputs,
                              ArrayRef<AffineMap> maps, Payload payload) {
  Value empty = tensor::EmptyOp::create(
      builder, loc, type.getShape(), type.getElementType(), type.getEncoding());
  SmallVector<AffineMap> allMaps(maps);
  allMaps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
  SmallVector<utils::IteratorType> iterators(type.getRank(),
                                             utils::IteratorType::parallel);
  bool complete = true;
  auto body = [&](OpBuilder &b, Location at, ValueRange scalars) {
    Value result = payload(b, at, scalars.drop_back());
    complete = static_cast<bool>(result);
    // Always well-formed, whatever becomes of it.
    linalg::YieldOp::create(b, at, complete ? result : scalars.back());
  };
  auto op =
      linalg::GenericOp::create(builder, loc, TypeRange{type}, inputs,
                                ValueRange{empty}, allMaps, iterators, body);
  return complete ? op.getResult(0) : Value();
}

Attribute heddle::constantOf(Value tensor) {
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  Attribute number;
  if (generic && generic.getNumDpsInputs() == 0)
    matchPattern(generic.getBody()->getTerminator()->getOperand(0),
                 m_Constant(&number));
  return number;
}
