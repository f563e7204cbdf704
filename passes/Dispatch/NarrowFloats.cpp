// Emits the way between the bits of narrow floats and f32.

#include "passes/Dispatch/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

namespace {
using Predicate = arith::CmpIPredicate;

/// What a format's bits mean, and 32-bit integer arithmetic on them.
struct Codec {
  Codec(OpBuilder &builder, Location loc, Type type)
      : b(builder), loc(loc), i32(builder.getI32Type()),
        f32(builder.getF32Type()),
        semantics(cast<FloatType>(type).getFloatSemantics()),
        mantissa(APFloat::semanticsPrecision(semantics) - 1),
        minExponent(APFloat::semanticsMinExponent(semantics)),
        signBit(int64_t(1) << (type.getIntOrFloatBitWidth() - 1)),
        toSignBit(32 - type.getIntOrFloatBitWidth()),
        largest(bitsOf(APFloat::getLargest(semantics))),
        hasInfinity(APFloat::semanticsHasInf(semantics)),
        hasNan(APFloat::semanticsHasNaN(semantics)),
        nan(hasNan ? bitsOf(APFloat::getQNaN(semantics)) : largest),
        nanIsNegativeZero(nan == signBit) {}

  static int64_t bitsOf(const APFloat &value) {
    return value.bitcastToAPInt().getZExtValue();
  }
  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value real(double value) {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  }
  Value bits(Value x) { return arith::BitcastOp::create(b, loc, i32, x); }
  Value fromBits(Value x) { return arith::BitcastOp::create(b, loc, f32, x); }
  template <typename OpTy> Value op(Value x, Value y) {
    return OpTy::create(b, loc, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value is(Predicate predicate, Value x, int64_t y) {
    return arith::CmpIOp::create(b, loc, predicate, x, number(y));
  }

  OpBuilder &b;
  Location loc;
  Type i32, f32;
  const llvm::fltSemantics &semantics;
  int64_t mantissa, minExponent, signBit, toSignBit, largest;
  bool hasInfinity, hasNan;
  /// The largest number where there is no NaN.
  int64_t nan;
  bool nanIsNegativeZero;
};

/// f8E8M0FNU is a bare exponent: powers of two from 2^-127 on, the last code
/// NaN; neither sign nor zero.
struct ExponentCodec {
  OpBuilder &b;
  Location loc;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();

  Value number(int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
  }
  Value select(Predicate predicate, Value x, int64_t y, Value yes, Value no) {
    Value is = arith::CmpIOp::create(b, loc, predicate, x, number(y));
    return arith::SelectOp::create(b, loc, is, yes, no);
  }

  Value decode(Value value) {
    Value code = arith::ExtUIOp::create(b, loc, i32, value);
    Value bits = arith::ShLIOp::create(b, loc, code, number(23));
    // 2^-127 is a subnormal f32.
    bits = select(Predicate::eq, code, 0, number(0x00400000), bits);
    bits = select(Predicate::eq, code, 255, number(0x7fc00000), bits);
    return arith::BitcastOp::create(b, loc, f32, bits);
  }

  Value encode(Value value) {
    Value bits = arith::BitcastOp::create(b, loc, i32, value);
    // To the nearest, of two as near to the even code.
    Value odd = arith::AndIOp::create(
        b, loc, arith::ShRUIOp::create(b, loc, bits, number(23)), number(1));
    Value half = arith::AddIOp::create(b, loc, odd, number(0x003fffff));
    Value code = arith::ShRUIOp::create(
        b, loc, arith::AddIOp::create(b, loc, bits, half), number(23));
    // Among subnormals the middle of 2^-127 and 2^-126.
    Value small =
        select(Predicate::ugt, bits, 0x00600000, number(1), number(0));
    code = select(Predicate::ult, bits, 0x00800000, small, code);
    // From 1.25 times the largest on, and what is negative.
    code = select(Predicate::ugt, bits, 0x7f200000, number(255), code);
    return arith::TruncIOp::create(b, loc, b.getI8Type(), code);
  }
};
} // namespace

Value heddle::decodeNarrowFloat(OpBuilder &builder, Location loc, Value value,
                                Type format) {
  if (isa<Float8E8M0FNUType>(format))
    return ExponentCodec{builder, loc}.decode(value);
  Codec c(builder, loc, format);
  Value all = arith::ExtUIOp::create(builder, loc, c.i32, value);
  Value size = c.op<arith::AndIOp>(all, c.number(c.signBit - 1));
  Value sign = c.op<arith::ShLIOp>(
      c.op<arith::AndIOp>(all, c.number(c.signBit)), c.number(c.toSignBit));
  // In the place of f32's exponent and mantissa the number is too small by the
  // difference of the biases, subnormal ones as well.
  Value scaled =
      c.fromBits(c.op<arith::ShLIOp>(size, c.number(23 - c.mantissa)));
  Value exact = c.op<arith::MulFOp>(
      scaled, c.real(std::ldexp(1.0, 127 - (1 - c.minExponent))));
  Value result = c.op<arith::OrIOp>(c.bits(exact), sign);
  if (c.hasInfinity) {
    Value infinity = c.op<arith::OrIOp>(sign, c.number(0x7f800000));
    result =
        c.select(c.is(Predicate::eq, size, c.largest + 1), infinity, result);
    result = c.select(c.is(Predicate::sgt, size, c.largest + 1),
                      c.number(0x7fc00000), result);
  } else if (c.hasNan) {
    Value isNan = c.nanIsNegativeZero ? c.is(Predicate::eq, all, c.signBit)
                                      : c.is(Predicate::sgt, size, c.largest);
    result = c.select(isNan, c.number(0x7fc00000), result);
  }
  return c.fromBits(result);
}

/// f64 to f32 so that rounding on from there is rounding once: what is inexact
/// gets an odd last bit.
static Value narrowToOdd(Codec &c, Value value) {
  Type f64 = value.getType();
  Value near = arith::TruncFOp::create(c.b, c.loc, c.f32, value);
  Value back = arith::ExtFOp::create(c.b, c.loc, f64, near);
  Value bits = c.bits(near);
  Value grew = arith::CmpFOp::create(c.b, c.loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(c.b, c.loc, back),
                                     math::AbsFOp::create(c.b, c.loc, value));
  Value below = c.select(grew, c.op<arith::SubIOp>(bits, c.number(1)), bits);
  Value odd = c.op<arith::OrIOp>(below, c.number(1));
  Value exact =
      arith::CmpFOp::create(c.b, c.loc, arith::CmpFPredicate::UEQ, back, value);
  return c.fromBits(c.select(exact, bits, odd));
}

Value heddle::encodeNarrowFloat(OpBuilder &builder, Location loc, Value value,
                                Type format) {
  Codec c(builder, loc, format);
  if (value.getType().isF64())
    value = narrowToOdd(c, value);
  if (isa<Float8E8M0FNUType>(format))
    return ExponentCodec{builder, loc}.encode(value);
  Value all = c.bits(value);
  Value size = c.op<arith::AndIOp>(all, c.number(0x7fffffff));
  Value sign = c.op<arith::AndIOp>(
      c.op<arith::ShRUIOp>(all, c.number(c.toSignBit)), c.number(c.signBit));
  // Normal numbers: half a unit is added, less one where the last bit is even.
  int64_t shift = 23 - c.mantissa;
  Value odd = c.op<arith::AndIOp>(c.op<arith::ShRUIOp>(size, c.number(shift)),
                                  c.number(1));
  Value rounded =
      c.op<arith::AddIOp>(c.op<arith::AddIOp>(size, odd),
                          c.number((int64_t(1) << (shift - 1)) - 1));
  Value normal =
      c.op<arith::SubIOp>(c.op<arith::ShRUIOp>(rounded, c.number(shift)),
                          c.number((127 - (1 - c.minExponent)) << c.mantissa));
  // Subnormal ones: a sum whose last bit is their unit.
  double magic = std::ldexp(1.0, c.minExponent - c.mantissa + 23);
  Value magnitude = c.fromBits(size);
  Value sum = c.bits(c.op<arith::AddFOp>(magnitude, c.real(magic)));
  Value subnormal = c.op<arith::SubIOp>(sum, c.bits(c.real(magic)));
  Value isSmall =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, magnitude,
                            c.real(std::ldexp(1.0, c.minExponent)));
  Value result = c.select(isSmall, subnormal, normal);
  Value tooLarge = c.is(Predicate::sgt, result, c.largest);
  Value beyond = c.number(c.hasInfinity ? c.largest + 1 : c.nan);
  if (c.nanIsNegativeZero) {
    // The only zero has no sign.
    Value isZero = c.is(Predicate::eq, result, 0);
    result = c.op<arith::OrIOp>(result, sign);
    result = c.select(isZero, c.number(0), result);
    result = c.select(tooLarge, beyond, result);
  } else {
    result = c.select(tooLarge, beyond, result);
    result = c.op<arith::OrIOp>(result, sign);
  }
  result =
      c.select(c.is(Predicate::sgt, size, 0x7f800000), c.number(c.nan), result);
  return arith::TruncIOp::create(builder, loc, builder.getI8Type(), result);
}
