// Emits the formulas of real tensors that complex ones are computed by.

#include "passes/Lower/Complex/RealBuilder.h"

#include "dialects/Chlo/Chlo.h"

#include <limits>

using namespace mlir;

namespace heddle {

Value RealBuilder::c(double value) {
  Attribute element = builder.getFloatAttr(type.getElementType(), value);
  return stablehlo::ConstantOp::create(builder, loc,
                                       DenseElementsAttr::get(type, element));
}

Value RealBuilder::infinity() {
  return c(std::numeric_limits<double>::infinity());
}

Value RealBuilder::nan() { return c(std::numeric_limits<double>::quiet_NaN()); }

Value RealBuilder::sinh(Value a) { return make<chlo::SinhOp>(a); }
Value RealBuilder::cosh(Value a) { return make<chlo::CoshOp>(a); }
Value RealBuilder::asinh(Value a) { return make<chlo::AsinhOp>(a); }

std::pair<Value, Value> RealBuilder::exponent(Value a) {
  auto from = cast<RankedTensorType>(a.getType());
  RankedTensorType integers = from.clone(builder.getI64Type());
  auto integer = [&](int64_t value) -> Value {
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(integers, builder.getI64IntegerAttr(value)));
  };
  Value bits = stablehlo::BitcastConvertOp::create(builder, loc, integers, a);
  // From sqrt(1/2) on.
  bits = sub(bits, integer(0x3fe6a09e667f3bcd));
  Value e = stablehlo::ShiftRightArithmeticOp::create(builder, loc, bits,
                                                      integer(52));
  Value power = stablehlo::ShiftLeftOp::create(
      builder, loc, sub(integer(1023), e), integer(52));
  return {stablehlo::ConvertOp::create(builder, loc, from, e),
          stablehlo::BitcastConvertOp::create(builder, loc, from, power)};
}

Value RealBuilder::copySign(Value magnitude, Value sign) {
  auto from = cast<RankedTensorType>(sign.getType());
  RankedTensorType integers = from.clone(
      builder.getIntegerType(from.getElementType().getIntOrFloatBitWidth()));
  Value bits =
      stablehlo::BitcastConvertOp::create(builder, loc, integers, sign);
  Value zero = stablehlo::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(
          integers, builder.getIntegerAttr(integers.getElementType(), 0)));
  Value size = abs(magnitude);
  return select(compare(Direction::LT, bits, zero), neg(size), size);
}

Value RealBuilder::spread(Value a) {
  if (a.getType() == type)
    return a;
  return stablehlo::BroadcastInDimOp::create(builder, loc, type, a,
                                             ArrayRef<int64_t>());
}

Value RealBuilder::convert(Value a) {
  auto from = cast<RankedTensorType>(a.getType());
  if (from.getElementType() == type.getElementType())
    return a;
  return stablehlo::ConvertOp::create(builder, loc,
                                      from.clone(type.getElementType()), a);
}

} // namespace heddle
