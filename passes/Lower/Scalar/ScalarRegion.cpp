// Emits a region's operations one after the other.

#include "passes/Lower/Scalar/ScalarRegion.h"

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Scalar/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace heddle;

Value heddle::scalarConstant(OpBuilder &builder, Location loc,
                             ElementsAttr value, Type type) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || (!dense.isSplat() && dense.getNumElements() != 1))
    return {};
  Attribute scalar = *dense.getValues<Attribute>().begin();
  if (auto number = dyn_cast<FloatAttr>(scalar))
    return arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(type, number.getValue()));
  if (auto number = dyn_cast<IntegerAttr>(scalar))
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(
            type, number.getValue().zextOrTrunc(type.getIntOrFloatBitWidth())));
  return {};
}

FailureOr<SmallVector<Value>> heddle::emitScalarRegion(OpBuilder &builder,
                                                       Region &region,
                                                       ValueRange arguments,
                                                       Operation *&culprit) {
  IRMapping values;
  Block &block = region.front();
  values.map(block.getArguments(), arguments);
  // A value of the region, or a constant outside of it.
  auto scalarOf = [&](Value value) -> Value {
    if (Value known = values.lookupOrNull(value))
      return known;
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    Type type = loweredElementType(getElementTypeOrSelf(value.getType()));
    if (!constant || !type)
      return {};
    return scalarConstant(builder, value.getLoc(), constant.getValue(), type);
  };
  for (Operation &op : block.without_terminator()) {
    culprit = &op;
    Value result;
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      Type type = loweredElementType(
          getElementTypeOrSelf(constant.getOutput().getType()));
      if (type)
        result =
            scalarConstant(builder, op.getLoc(), constant.getValue(), type);
    } else if (isScalarizable(&op)) {
      SmallVector<Value> scalars;
      for (Value operand : op.getOperands())
        scalars.push_back(scalarOf(operand));
      if (!llvm::is_contained(scalars, Value()))
        result = emitScalarOp(builder, &op, scalars);
    } else if (isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(op)) {
      // On one element these do nothing.
      result = scalarOf(op.getOperand(0));
    }
    if (!result)
      return failure();
    values.map(op.getResult(0), result);
  }
  culprit = block.getTerminator();
  SmallVector<Value> results;
  for (Value value : culprit->getOperands()) {
    results.push_back(scalarOf(value));
    if (!results.back())
      return failure();
  }
  return results;
}
