// Writes what integers and floats do at the borders of their types as StableHLO
// defines it.

#include "passes/Lower/Scalar/ScalarEmitter.h"

using namespace mlir;
using namespace heddle;

Value ScalarEmitter::add() {
  if (isBool())
    return op<arith::OrIOp>(x);
  return floatOrInt<arith::AddFOp, arith::AddIOp>();
}

Value ScalarEmitter::multiply() {
  if (isBool())
    return op<arith::AndIOp>(x);
  return floatOrInt<arith::MulFOp, arith::MulIOp>();
}

Value ScalarEmitter::maximum() {
  if (isFloat())
    return op<arith::MaximumFOp>(x);
  return isUnsigned() ? op<arith::MaxUIOp>(x) : op<arith::MaxSIOp>(x);
}

Value ScalarEmitter::minimum() {
  if (isFloat())
    return op<arith::MinimumFOp>(x);
  return isUnsigned() ? op<arith::MinUIOp>(x) : op<arith::MinSIOp>(x);
}

Value ScalarEmitter::power() {
  if (isFloat())
    return op<math::PowFOp>(x);
  Value base = x[0], exponent = x[1];
  Value one = integer(1), zero = integer(0);
  Value result = one;
  unsigned width = source.getIntOrFloatBitWidth();
  for (unsigned bit = 0; bit < width; ++bit) {
    Value wanted =
        op<arith::AndIOp>({op<arith::ShRUIOp>({exponent, integer(bit)}), one});
    Value product = op<arith::MulIOp>({result, base});
    result = select(compare(arith::CmpIPredicate::ne, wanted, zero), product,
                    result);
    base = op<arith::MulIOp>({base, base});
  }
  if (isUnsigned())
    return result;
  Value odd = compare(arith::CmpIPredicate::ne,
                      op<arith::AndIOp>({exponent, one}), zero);
  Value isOne = compare(arith::CmpIPredicate::eq, x[0], one);
  Value isMinusOne = compare(arith::CmpIPredicate::eq, x[0], integer(-1));
  Value reciprocal = select(
      isOne, one, select(isMinusOne, select(odd, integer(-1), one), zero));
  Value negative = compare(arith::CmpIPredicate::slt, exponent, zero);
  return select(negative, reciprocal, result);
}

Value ScalarEmitter::safeDivisor(Value &zero, Value &overflow) {
  zero = compare(arith::CmpIPredicate::eq, x[1], integer(0));
  Value special = zero;
  if (!isUnsigned()) {
    int64_t width = source.getIntOrFloatBitWidth();
    Value least = arith::ConstantOp::create(
        b, loc,
        b.getIntegerAttr(x[0].getType(), APInt::getSignedMinValue(width)));
    overflow = op<arith::AndIOp>(
        {compare(arith::CmpIPredicate::eq, x[0], least),
         compare(arith::CmpIPredicate::eq, x[1], integer(-1))});
    special = op<arith::OrIOp>({zero, overflow});
  }
  return select(special, integer(1), x[1]);
}

Value ScalarEmitter::divide() {
  if (isFloat())
    return op<arith::DivFOp>(x);
  Value zero, overflow;
  Value divisor = safeDivisor(zero, overflow);
  Value quotient = isUnsigned() ? op<arith::DivUIOp>({x[0], divisor})
                                : op<arith::DivSIOp>({x[0], divisor});
  return select(zero, integer(-1), quotient);
}

/// LLVM's expansion of frem is wrong for subnormal divisors, so that a tiny
/// one is scaled: first the remainder by a multiple of it, then that of what
/// is left, all exact. f16 is expanded as f32, in which it has none.
Value ScalarEmitter::floatRemainder() {
  if (x[0].getType().isF16())
    return op<arith::RemFOp>(x);
  bool isDouble = x[0].getType().isF64();
  Value size = math::AbsFOp::create(b, loc, x[1]);
  Value isTiny = compare(arith::CmpFPredicate::OLT, size,
                         constant(isDouble ? 0x1p-960 : 0x1p-96));
  double power = isDouble ? 0x1p60 : 0x1p30;
  Value scale = select(isTiny, constant(power), constant(1));
  Value back = select(isTiny, constant(1 / power), constant(1));
  Value divisor = op<arith::MulFOp>({x[1], scale});
  Value rest = op<arith::RemFOp>({x[0], divisor});
  rest = op<arith::RemFOp>({op<arith::MulFOp>({rest, scale}), divisor});
  return op<arith::MulFOp>({rest, back});
}

Value ScalarEmitter::remainder() {
  if (isFloat())
    return floatRemainder();
  Value zero, overflow;
  Value divisor = safeDivisor(zero, overflow);
  Value rest = isUnsigned() ? op<arith::RemUIOp>({x[0], divisor})
                            : op<arith::RemSIOp>({x[0], divisor});
  return select(zero, x[0], rest);
}

Value ScalarEmitter::negate() {
  return isFloat() ? op<arith::NegFOp>(x)
                   : op<arith::SubIOp>({integer(0), x[0]});
}

Value ScalarEmitter::absolute() {
  if (isFloat())
    return op<math::AbsFOp>(x);
  return isUnsigned() ? x[0] : op<math::AbsIOp>(x);
}

Value ScalarEmitter::sign() {
  if (!isFloat()) {
    Value one = select(compare(arith::CmpIPredicate::eq, x[0], integer(0)),
                       integer(0), integer(1));
    if (isUnsigned())
      return one;
    return select(compare(arith::CmpIPredicate::slt, x[0], integer(0)),
                  integer(-1), one);
  }
  Value one = op<math::CopySignOp>({constant(1.0), x[0]});
  Value nonzero = compare(arith::CmpFPredicate::ONE, x[0], constant(0.0));
  return select(nonzero, one, x[0]);
}

Value ScalarEmitter::logistic() {
  if (!isFloat())
    return {};
  bool narrow = source.getIntOrFloatBitWidth() < 32;
  Type type = narrow ? b.getF32Type() : source;
  Value input = x[0];
  if (narrow)
    input = arith::ExtFOp::create(b, loc, type, input);
  auto number = [&](double value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, value));
  };
  Value size = op<math::AbsFOp>(input);
  Value e = op<math::ExpOp>(op<arith::NegFOp>(size));
  Value negative = compare(arith::CmpFPredicate::OLT, input, number(0));
  Value one = number(1);
  Value value = op<arith::DivFOp>(
      {select(negative, e, one), op<arith::AddFOp>({one, e})});
  return narrow ? arith::TruncFOp::create(b, loc, source, value) : value;
}

Value ScalarEmitter::isFinite() {
  Value infinity = arith::ConstantOp::create(
      b, loc,
      b.getFloatAttr(x[0].getType(),
                     APFloat::getInf(
                         cast<FloatType>(x[0].getType()).getFloatSemantics())));
  return compare(arith::CmpFPredicate::OLT, op<math::AbsFOp>(x), infinity);
}

Value ScalarEmitter::compareOp(stablehlo::CompareOp compareOp) {
  using Direction = stablehlo::ComparisonDirection;
  Direction direction = compareOp.getComparisonDirection();
  if (isFloat()) {
    if (compareOp.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
      return compareTotally(direction);
    arith::CmpFPredicate predicate = arith::CmpFPredicate::OEQ;
    switch (direction) {
    case Direction::EQ:
      predicate = arith::CmpFPredicate::OEQ;
      break;
    case Direction::NE:
      predicate = arith::CmpFPredicate::UNE;
      break;
    case Direction::GE:
      predicate = arith::CmpFPredicate::OGE;
      break;
    case Direction::GT:
      predicate = arith::CmpFPredicate::OGT;
      break;
    case Direction::LE:
      predicate = arith::CmpFPredicate::OLE;
      break;
    case Direction::LT:
      predicate = arith::CmpFPredicate::OLT;
      break;
    }
    return compare(predicate, x[0], x[1]);
  }
  return compareInts(direction, isUnsigned(), x[0], x[1]);
}

Value ScalarEmitter::compareInts(stablehlo::ComparisonDirection direction,
                                 bool u, Value left, Value right) {
  using Direction = stablehlo::ComparisonDirection;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = Predicate::eq;
  switch (direction) {
  case Direction::EQ:
    predicate = Predicate::eq;
    break;
  case Direction::NE:
    predicate = Predicate::ne;
    break;
  case Direction::GE:
    predicate = u ? Predicate::uge : Predicate::sge;
    break;
  case Direction::GT:
    predicate = u ? Predicate::ugt : Predicate::sgt;
    break;
  case Direction::LE:
    predicate = u ? Predicate::ule : Predicate::sle;
    break;
  case Direction::LT:
    predicate = u ? Predicate::ult : Predicate::slt;
    break;
  }
  return compare(predicate, left, right);
}

/// In the total order the bits compare as sign and magnitude: as integers, when
/// those of negative numbers are turned around.
Value ScalarEmitter::compareTotally(stablehlo::ComparisonDirection direction) {
  unsigned width = source.getIntOrFloatBitWidth();
  Type bits = b.getIntegerType(width);
  auto ordered = [&](Value value) {
    auto constant = [&](APInt number) {
      return arith::ConstantOp::create(b, loc, b.getIntegerAttr(bits, number));
    };
    Value cast = arith::BitcastOp::create(b, loc, bits, value);
    Value sign =
        arith::ShRSIOp::create(b, loc, cast, constant(APInt(width, width - 1)));
    Value flips = arith::AndIOp::create(
        b, loc, sign, constant(APInt::getSignedMaxValue(width)));
    return arith::XOrIOp::create(b, loc, cast, flips).getResult();
  };
  return compareInts(direction, /*isUnsigned=*/false, ordered(x[0]),
                     ordered(x[1]));
}
