// Elementwise ops: one linalg.generic each. A scalar operand (of select and
// clamp) and a constant splat become part of the payload.

#include "passes/Lower/GraphLowering.h"
#include "passes/Lower/Scalar/ScalarOps.h"

using namespace mlir;
using namespace heddle;

bool heddle::lowerElementwise(GraphLowering &lowering, Operation *op) {
  if (!isScalarizable(op))
    return false;
  OpBuilder &builder = lowering.builder;
  RankedTensorType type = lowering.resultType(op);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Value operand : op->getOperands()) {
    Value value = lowering.lowered(operand);
    auto shape = cast<RankedTensorType>(value.getType()).getShape();
    inputs.push_back(value);
    if (shape == type.getShape()) {
      maps.push_back(builder.getMultiDimIdentityMap(type.getRank()));
    } else if (shape.empty()) {
      maps.push_back(AffineMap::get(type.getRank(), 0, builder.getContext()));
    } else {
      // bitcast_convert between widths changes the shape.
      lowering.unsupported(op, "it changes the shape");
      return true;
    }
  }
  Value result = lowering.generic(op->getLoc(), type, inputs, maps,
                                  [&](OpBuilder &b, Location, ValueRange x) {
                                    return emitScalarOp(b, op, x);
                                  });
  if (!result)
    lowering.unsupported(op, "its element types or attributes");
  else
    lowering.replace(op, result);
  return true;
}
