// Reads constants of one value, and lists of integers.

#include "passes/Graph/Constants.h"

using namespace mlir;

namespace heddle {

ElementsAttr constantValue(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  return constant ? constant.getValue() : ElementsAttr();
}

Attribute splatElement(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp,
             stablehlo::TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constantValue(value));
  if (!dense || !dense.isSplat())
    return {};
  return dense.getSplatValue<Attribute>();
}

bool isSplatOf(Value value, double number) {
  Attribute element = splatElement(value);
  auto equals = [&](Attribute part, double wanted) {
    if (auto real = dyn_cast_or_null<FloatAttr>(part))
      return real.getValue().convertToDouble() == wanted;
    return false;
  };
  if (auto integer = dyn_cast_or_null<IntegerAttr>(element)) {
    const APInt &bits = integer.getValue();
    bool isUnsigned =
        bits.getBitWidth() == 1 || integer.getType().isUnsignedInteger();
    return (isUnsigned ? bits.roundToDouble(false)
                       : bits.roundToDouble(true)) == number;
  }
  if (auto parts = dyn_cast_or_null<ArrayAttr>(element))
    return parts.size() == 2 && equals(parts[0], number) && equals(parts[1], 0);
  return equals(element, number);
}

std::optional<SmallVector<int64_t>> integerValues(Value value) {
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(constantValue(value));
  if (!dense || dense.getNumElements() > 1024)
    return std::nullopt;
  bool isUnsigned = dense.getElementType().isUnsignedInteger();
  SmallVector<int64_t> values;
  for (const APInt &bits : dense.getValues<APInt>())
    values.push_back(isUnsigned ? static_cast<int64_t>(bits.getZExtValue())
                                : bits.getSExtValue());
  return values;
}

Value createSplat(OpBuilder &builder, Location loc, RankedTensorType type,
                  Attribute element) {
  return stablehlo::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, element));
}

Attribute zeroElement(Type element) {
  Builder builder(element.getContext());
  auto complex = dyn_cast<ComplexType>(element);
  if (!complex)
    return builder.getZeroAttr(element);
  Attribute part = builder.getZeroAttr(complex.getElementType());
  return builder.getArrayAttr({part, part});
}

Value createZero(OpBuilder &builder, Location loc, RankedTensorType type) {
  return createSplat(builder, loc, type, zeroElement(type.getElementType()));
}

} // namespace heddle
