#include "passes/Dispatch/NarrowFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinTypes.h"
#include <cmath>

using namespace mlir;
using namespace heddle;

bool heddle::isNarrowFloat(Type type) {
  return isa<Float8E3M4Type, Float8E4M3Type, Float8E4M3FNType,
             Float8E4M3FNUZType, Float8E4M3B11FNUZType, Float8E5M2Type,
             Float8E5M2FNUZType>(type);
}

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
        largest(bitsOf(APFloat::getLargest(semantics))),
        nan(bitsOf(APFloat::getQNaN(semantics))),
        hasInfinity(APFloat::semanticsHasInf(semantics)),
        nanIsNegativeZero(nan == 0x80) {}

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
  int64_t mantissa, minExponent, largest, nan;
  bool hasInfinity, nanIsNegativeZero;
};
} // namespace

Value heddle::decodeNarrowFloat(OpBuilder &builder, Location loc, Value value,
                                Type format) {
  Codec c(builder, loc, format);
  Value all = arith::ExtUIOp::create(builder, loc, c.i32, value);
  Value size = c.op<arith::AndIOp>(all, c.number(0x7f));
  Value sign = c.op<arith::ShLIOp>(c.op<arith::AndIOp>(all, c.number(0x80)),
                                   c.number(24));
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
  } else {
    Value isNan = c.nanIsNegativeZero ? c.is(Predicate::eq, all, 0x80)
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
  Value all = c.bits(value);
  Value size = c.op<arith::AndIOp>(all, c.number(0x7fffffff));
  Value sign = c.op<arith::AndIOp>(c.op<arith::ShRUIOp>(all, c.number(24)),
                                   c.number(0x80));
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
