// Emits conversions between element types as StableHLO defines them.

#include "passes/Lower/Scalar/ScalarConversions.h"

#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Scalar/NarrowTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

static Value floatToFloat(OpBuilder &builder, Location loc, Value value,
                          Type to) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned width = to.getIntOrFloatBitWidth();
  if (from < width)
    return arith::ExtFOp::create(builder, loc, to, value);
  if (from > width)
    return arith::TruncFOp::create(builder, loc, to, value);
  // f16 and bf16, say: neither holds the other, both fit into f32.
  Value wide = arith::ExtFOp::create(builder, loc, builder.getF32Type(), value);
  return arith::TruncFOp::create(builder, loc, to, wide);
}

/// Towards zero; NaN becomes 0, and what does not fit the nearest limit.
static Value floatToInteger(OpBuilder &builder, Location loc, Value value,
                            Type to, bool isUnsigned) {
  Type f32 = builder.getF32Type();
  if (value.getType().getIntOrFloatBitWidth() == 16)
    value = arith::ExtFOp::create(builder, loc, f32, value);
  auto type = cast<FloatType>(value.getType());
  unsigned width = to.getIntOrFloatBitWidth();
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getFloatAttr(type, value));
  };
  auto integer = [&](APInt value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(to, value));
  };
  auto is = [&](arith::CmpFPredicate predicate, Value limit) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, value, limit);
  };
  // Powers of two, so exact in every float type.
  Value tooLarge = is(arith::CmpFPredicate::OGE,
                      number(std::ldexp(1.0, isUnsigned ? width : width - 1)));
  Value tooSmall = isUnsigned ? is(arith::CmpFPredicate::OLE, number(-1))
                              : is(arith::CmpFPredicate::OLT,
                                   number(-std::ldexp(1.0, width - 1)));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value outside = arith::OrIOp::create(
      builder, loc, arith::OrIOp::create(builder, loc, tooLarge, tooSmall),
      isNan);
  Value inside =
      arith::SelectOp::create(builder, loc, outside, number(0), value);
  Value result =
      isUnsigned
          ? arith::FPToUIOp::create(builder, loc, to, inside).getResult()
          : arith::FPToSIOp::create(builder, loc, to, inside).getResult();
  result = arith::SelectOp::create(
      builder, loc, tooLarge,
      integer(isUnsigned ? APInt::getMaxValue(width)
                         : APInt::getSignedMaxValue(width)),
      result);
  return arith::SelectOp::create(builder, loc, tooSmall,
                                 integer(isUnsigned
                                             ? APInt::getMinValue(width)
                                             : APInt::getSignedMinValue(width)),
                                 result);
}

/// The integer as f32 or f64, whichever has fewer bits, such that rounding on
/// to a narrower type is the same as rounding the integer itself: what does not
/// fit is kept as an odd last bit. Of 32 bits it goes by f32, as LLVM takes
/// away a detour by f64.
static Value integerToOddFloat(OpBuilder &builder, Location loc, Value value,
                               bool isUnsigned) {
  auto type = cast<IntegerType>(value.getType());
  bool wide = type.getWidth() == 64;
  auto constant = [&](uint64_t bits) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(type, APInt(type.getWidth(), bits,
                                           /*isSigned=*/false,
                                           /*implicitTrunc=*/true)));
  };
  uint64_t exact = uint64_t(1) << (wide ? 53 : 24);
  uint64_t lost = (1 << (wide ? 11 : 8)) - 1;
  Value bits = arith::AndIOp::create(builder, loc, value, constant(lost));
  Value none = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     bits, constant(0));
  Value sticky = arith::SelectOp::create(builder, loc, none, constant(0),
                                         constant(lost + 1));
  Value odd = arith::OrIOp::create(
      builder, loc, arith::AndIOp::create(builder, loc, value, constant(~lost)),
      sticky);
  // Nothing is lost from -exact to exact.
  Value shifted =
      isUnsigned ? value
                 : arith::AddIOp::create(builder, loc, value, constant(exact))
                       .getResult();
  Value fits =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, shifted,
                            constant(isUnsigned ? exact : 2 * exact));
  value = arith::SelectOp::create(builder, loc, fits, value, odd);
  Type to = wide ? builder.getF64Type() : builder.getF32Type();
  if (isUnsigned)
    return arith::UIToFPOp::create(builder, loc, to, value);
  return arith::SIToFPOp::create(builder, loc, to, value);
}

Value heddle::convertScalar(OpBuilder &builder, Location loc, Value value,
                            Type from, Type to) {
  Type type = loweredElementType(to);
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (from == to)
    return value;
  if (isNarrowInteger(from))
    return convertScalar(builder, loc,
                         extendNarrowInteger(builder, loc, value, from),
                         byteType(from), to);
  if (isNarrowInteger(to)) {
    Value byte = convertScalar(builder, loc, value, from, byteType(to));
    // Floats go to the nearest limit, integers wrap.
    return isa<FloatType>(from) ? clampNarrowInteger(builder, loc, byte, to)
                                : wrapNarrowInteger(builder, loc, byte, to);
  }
  Type f32 = builder.getF32Type();
  if (isNarrowFloat(from))
    return convertScalar(
        builder, loc, arith::ExtFOp::create(builder, loc, f32, value), f32, to);
  if (isNarrowFloat(to)) {
    // Whatever an integer's rounding to f32 loses is too large for a byte, but
    // for a bare exponent.
    if (isa<Float8E8M0FNUType>(to) && isa<IntegerType>(from))
      value = convertScalar(builder, loc, value, from, builder.getF64Type());
    else if (!from.isF64())
      value = convertScalar(builder, loc, value, from, f32);
    return arith::TruncFOp::create(builder, loc, to, value);
  }
  if (to.isInteger(1)) {
    Value zero = arith::ConstantOp::create(
        builder, loc, builder.getZeroAttr(value.getType()));
    if (isa<FloatType>(from))
      return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNE,
                                   value, zero);
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, value,
                                 zero);
  }
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return floatToFloat(builder, loc, value, type);
  if (isa<FloatType>(from))
    return floatToInteger(builder, loc, value, type, to.isUnsignedInteger());
  // LLVM goes by f32, and rounds twice.
  if (to.isBF16() && from.getIntOrFloatBitWidth() > 24)
    return floatToFloat(builder, loc,
                        integerToOddFloat(builder, loc, value, fromUnsigned),
                        type);
  if (isa<FloatType>(to)) {
    if (fromUnsigned)
      return arith::UIToFPOp::create(builder, loc, type, value);
    return arith::SIToFPOp::create(builder, loc, type, value);
  }
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = to.getIntOrFloatBitWidth();
  if (fromWidth == toWidth)
    return value;
  if (fromWidth > toWidth)
    return arith::TruncIOp::create(builder, loc, type, value);
  if (fromUnsigned)
    return arith::ExtUIOp::create(builder, loc, type, value);
  return arith::ExtSIOp::create(builder, loc, type, value);
}
