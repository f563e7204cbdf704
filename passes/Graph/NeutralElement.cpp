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
  if (!joining)
    return {};
  Operation &op = *joining;
  Builder builder(op.getContext());
  if (auto real = dyn_cast<FloatType>(element)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    auto farthest = [&](bool negative) {
      return builder.getFloatAttr(
          element, APFloat::semanticsHasInf(semantics)
                       ? APFloat::getInf(semantics, negative)
                       : APFloat::getLargest(semantics, negative));
    };
    if (isa<AddOp>(op))
      return builder.getFloatAttr(
          element, APFloat::getZero(
                       semantics, APFloat::semanticsHasSignedRepr(semantics)));
    if (isa<MulOp>(op))
      return builder.getFloatAttr(element, 1.0);
    if (isa<MaxOp>(op))
      return farthest(/*negative=*/true);
    if (isa<MinOp>(op))
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
  if (isa<OrOp, XorOp>(op) || isa<AddOp>(op))
    value = zero;
  else if (isa<AndOp>(op))
    value = ones;
  else if (isa<MulOp>(op))
    value = APInt(width, 1);
  else if (isa<MaxOp>(op))
    value = isUnsigned ? zero : APInt::getSignedMinValue(width);
  else if (isa<MinOp>(op))
    value = isUnsigned ? ones : APInt::getSignedMaxValue(width);
  return value ? Attribute(builder.getIntegerAttr(element, *value))
               : Attribute();
}

} // namespace heddle
