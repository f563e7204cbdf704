// Makes casts.

#include "passes/Precision/FactorCasts.h"

#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/TensorTypes.h"

using namespace mlir;
using namespace heddle;

void FactorCasts::cast(Operation *product, FloatType type) {
  for (OpOperand &operand : product->getOpOperands())
    operand.set(narrowed(operand.get(), type));
}

Value FactorCasts::narrowed(Value value, FloatType type) {
  Value &known = narrow[{value, type}];
  if (!known) {
    OpBuilder builder(value.getContext());
    builder.setInsertionPointAfterValue(value);
    known = stablehlo::ConvertOp::create(builder, value.getLoc(),
                                         typeOf(value).clone(type), value);
  }
  return known;
}
