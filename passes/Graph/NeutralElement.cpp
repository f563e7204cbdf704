// What joins two elements, and the element that changes nothing.

#include "passes/Graph/NeutralElement.h"

#include "dialects/StableHlo/StableHlo.h"

using namespace mlir;
using namespace heddle::stablehlo;

namespace heddle {

Operation *joiningOperation(Block &body) {
  if (body.getNumArguments() != 2 || body.getOperations().size() != 2)
    return nullptr;
  Operation &op = body.front();
  if (op.getNumOperands() != 2 ||
      body.getTerminator()->getOperand(0) != op.getResult(0))
    return nullptr;
  bool both = (op.getOperand(0) == body.getArgument(0) &&
               op.getOperand(1) == body.getArgument(1)) ||
              (op.getOperand(0) == body.getArgument(1) &&
               op.getOperand(1) == body.getArgument(0));
  return both ? &op : nullptr;
}

Attribute neutralElement(Operation *joining, Type element) {
  return joining ? neutralElement(joining->getName(), element) : Attribute();
}

template <typename... Ops> static bool isAny(OperationName name) {
  return (... || (name.getStringRef() == Ops::getOperationName()));
}

Attribute neutralElement(OperationName joining, Type element) {
  Builder builder(element.getContext());
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    auto farthest = [&](bool negative) {
      return builder.getFloatAttr(
          element, APFloat::semanticsHasInf(semantics)
                       ? APFloat::getInf(semantics, negative)
                       : APFloat::getLargest(semantics, negative));
    };
    if (isAny<AddOp>(joining))
      return builder.getFloatAttr(
          element, APFloat::getZero(
                       semantics, APFloat::semanticsHasSignedRepr(semantics)));
    if (isAny<MulOp>(joining))
      return builder.getFloatAttr(element, 1.0);
    if (isAny<MaxOp>(joining))
      return farthest(/*negative=*/true);
    if (isAny<MinOp>(joining))
      return farthest(/*negative=*/false);
    return {};
  }
  auto integer = dyn_cast<IntegerType>(element);
  if (!integer)
    return {};
  unsigned width = integer.getWidth();
  bool isUnsigned = integer.isUnsigned() || width == 1;
  APInt zero = APInt::getZero(width), ones = APInt::getAllOnes(width);
  std::optional<APInt> value;
  if (isAny<AddOp, OrOp, XorOp>(joining))
    value = zero;
  else if (isAny<AndOp>(joining))
    value = ones;
  else if (isAny<MulOp>(joining))
    value = APInt(width, 1);
  else if (isAny<MaxOp>(joining))
    value = isUnsigned ? zero : APInt::getSignedMinValue(width);
  else if (isAny<MinOp>(joining))
    value = isUnsigned ? ones : APInt::getSignedMaxValue(width);
  return value ? Attribute(builder.getIntegerAttr(element, *value))
               : Attribute();
}

} // namespace heddle
