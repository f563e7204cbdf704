// Emits arithmetic on the bits of one element: these themselves, less
// precision, the next value, high halves of products.

#include "passes/Lower/Scalar/ScalarBits.h"

#include "passes/Lower/Scalar/NarrowTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace heddle;

namespace {
/// Integer arithmetic at the width of one float type.
struct BitBuilder {
  BitBuilder(OpBuilder &builder, Location loc, FloatType type)
      : b(builder), loc(loc), type(type), width(type.getWidth()),
        mantissa(type.getFPMantissaWidth() - 1),
        bits(builder.getIntegerType(width)) {}

  Value constant(APInt value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, value));
  }
  Value constant(uint64_t value) { return constant(APInt(width, value)); }
  template <typename OpTy> Value op(Value x, Value y) {
    return OpTy::create(b, loc, x, y);
  }
  Value is(arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value select(Value condition, Value x, Value y) {
    return arith::SelectOp::create(b, loc, condition, x, y);
  }
  Value toBits(Value x) { return arith::BitcastOp::create(b, loc, bits, x); }
  Value toFloat(Value x) { return arith::BitcastOp::create(b, loc, type, x); }

  APInt signMask() { return APInt::getSignMask(width); }
  APInt exponentMask() { return APInt::getBitsSet(width, mantissa, width - 1); }
  int64_t bias() { return (int64_t(1) << (width - mantissa - 2)) - 1; }

  OpBuilder &b;
  Location loc;
  FloatType type;
  unsigned width, mantissa;
  Type bits;
};
} // namespace

using Predicate = arith::CmpIPredicate;

Value heddle::emitToBits(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  Type bits = builder.getIntegerType(type.getIntOrFloatBitWidth());
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, bits, value);
  return isNarrowInteger(bits)
             ? arith::ExtUIOp::create(builder, loc, builder.getI8Type(), value)
                   .getResult()
             : value;
}

Value heddle::emitFromBits(OpBuilder &builder, Location loc, Value bits,
                           Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  Type own = builder.getIntegerType(width);
  if (isNarrowInteger(own)) {
    if (!bits.getType().isInteger(8))
      bits = arith::TruncIOp::create(builder, loc, builder.getI8Type(), bits);
    // A format's bits have no sign.
    Type wrapped =
        isa<FloatType>(type) ? builder.getIntegerType(width, false) : type;
    bits = wrapNarrowInteger(builder, loc, bits, wrapped);
  } else if (bits.getType() != own) {
    bits = arith::TruncIOp::create(builder, loc, own, bits);
  }
  if (isa<FloatType>(type))
    return arith::BitcastOp::create(builder, loc, type, bits);
  return bits;
}

Value heddle::emitReducePrecision(OpBuilder &builder, Location loc, Value x,
                                  unsigned exponentBits,
                                  unsigned mantissaBits) {
  BitBuilder b(builder, loc, cast<FloatType>(x.getType()));
  unsigned ownExponentBits = b.width - b.mantissa - 1;
  Value original = b.toBits(x), value = original;
  if (mantissaBits < b.mantissa) {
    unsigned shift = b.mantissa - mantissaBits;
    // Half a unit, less one where the last bit that stays is even.
    Value last = b.op<arith::ShRUIOp>(value, b.constant(shift));
    Value odd = b.op<arith::AndIOp>(last, b.constant(1));
    if (mantissaBits == 0) {
      // The leading one is that bit, which is not stored.
      Value normal =
          b.is(Predicate::ne,
               b.op<arith::AndIOp>(value, b.constant(b.exponentMask())),
               b.constant(0));
      odd = b.select(normal, b.constant(1), b.constant(0));
    }
    Value half = b.constant(APInt::getLowBitsSet(b.width, shift - 1));
    value = b.op<arith::AddIOp>(value, b.op<arith::AddIOp>(half, odd));
    value = b.op<arith::AndIOp>(
        value, b.constant(APInt::getHighBitsSet(b.width, b.width - shift)));
  }
  Value sign = b.op<arith::AndIOp>(original, b.constant(b.signMask()));
  Value infinity = b.op<arith::OrIOp>(sign, b.constant(b.exponentMask()));
  if (exponentBits < ownExponentBits) {
    int64_t limit = (int64_t(1) << (exponentBits - 1)) - 1;
    Value exponent = b.op<arith::AndIOp>(value, b.constant(b.exponentMask()));
    auto at = [&](int64_t number) {
      return b.constant(APInt(b.width, number + b.bias()).shl(b.mantissa));
    };
    value =
        b.select(b.is(Predicate::ugt, exponent, at(limit)), infinity, value);
    // A format of one bit of exponent has no normal number but zero's.
    value =
        b.select(b.is(Predicate::ult, exponent, at(1 - limit)), sign, value);
  }
  // NaN and infinity stay as they are.
  Value own = b.op<arith::AndIOp>(original, b.constant(b.exponentMask()));
  Value special = b.is(Predicate::eq, own, b.constant(b.exponentMask()));
  return b.toFloat(b.select(special, original, value));
}

Value heddle::emitNextAfter(OpBuilder &builder, Location loc, Value from,
                            Value to) {
  BitBuilder b(builder, loc, cast<FloatType>(from.getType()));
  auto is = [&](arith::CmpFPredicate predicate, Value x, Value y) -> Value {
    return arith::CmpFOp::create(builder, loc, predicate, x, y);
  };
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getFloatAttr(b.type, 0));
  Value less = is(arith::CmpFPredicate::OLT, from, to);
  Value positive = is(arith::CmpFPredicate::OGT, from, zero);
  // Away from zero the bits grow.
  Value bits = b.toBits(from);
  Value away = b.is(Predicate::eq, less, positive);
  Value next = b.select(away, b.op<arith::AddIOp>(bits, b.constant(1)),
                        b.op<arith::SubIOp>(bits, b.constant(1)));
  Value smallest = b.select(less, b.constant(1), b.constant(b.signMask() | 1));
  next = b.select(is(arith::CmpFPredicate::OEQ, from, zero), smallest, next);
  Value result =
      b.select(is(arith::CmpFPredicate::OEQ, from, to), to, b.toFloat(next));
  Value nan = arith::ConstantOp::create(
      builder, loc,
      builder.getFloatAttr(b.type,
                           APFloat::getQNaN(b.type.getFloatSemantics())));
  return b.select(is(arith::CmpFPredicate::UNO, from, to), nan, result);
}

Value heddle::emitMulHigh(OpBuilder &builder, Location loc, Value x, Value y,
                          bool isUnsigned) {
  unsigned width = x.getType().getIntOrFloatBitWidth();
  auto constant = [&](Type type, int64_t value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getIntegerAttr(type, value));
  };
  auto op = [&](auto tag, Value a, Value c) -> Value {
    return decltype(tag)::create(builder, loc, a, c);
  };
  if (width < 64) {
    Type wide = builder.getIntegerType(2 * width);
    auto widen = [&](Value value) -> Value {
      if (isUnsigned)
        return arith::ExtUIOp::create(builder, loc, wide, value);
      return arith::ExtSIOp::create(builder, loc, wide, value);
    };
    Value product = op(arith::MulIOp(), widen(x), widen(y));
    Value high = op(arith::ShRUIOp(), product, constant(wide, width));
    return arith::TruncIOp::create(builder, loc, x.getType(), high);
  }
  // Four products of halves; vectors have no larger ones.
  Type type = x.getType();
  Value mask = constant(type, 0xffffffff), shift = constant(type, 32);
  auto low = [&](Value value) { return op(arith::AndIOp(), value, mask); };
  auto high = [&](Value value) { return op(arith::ShRUIOp(), value, shift); };
  Value xl = low(x), xh = high(x), yl = low(y), yh = high(y);
  Value ll = op(arith::MulIOp(), xl, yl), lh = op(arith::MulIOp(), xl, yh);
  Value hl = op(arith::MulIOp(), xh, yl), hh = op(arith::MulIOp(), xh, yh);
  Value middle =
      op(arith::AddIOp(), op(arith::AddIOp(), low(lh), low(hl)), high(ll));
  Value result = op(arith::AddIOp(), op(arith::AddIOp(), hh, high(middle)),
                    op(arith::AddIOp(), high(lh), high(hl)));
  if (isUnsigned)
    return result;
  // A negative factor was 2^64 too large.
  Value sign = constant(type, 63);
  auto correction = [&](Value factor, Value other) {
    Value negative = op(arith::ShRSIOp(), factor, sign);
    return op(arith::AndIOp(), negative, other);
  };
  result = op(arith::SubIOp(), result, correction(x, y));
  return op(arith::SubIOp(), result, correction(y, x));
}
