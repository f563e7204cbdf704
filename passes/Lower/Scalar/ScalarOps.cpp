// Emits elementwise operations of StableHLO on one element.

#include "passes/Lower/Scalar/ScalarOps.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Support/ElementKind.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarBits.h"
#include "passes/Lower/Scalar/ScalarConversions.h"
#include "passes/Lower/Scalar/SpecialFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

Type heddle::loweredElementType(Type type) {
  std::optional<ElementKind> kind = elementKind(type);
  if (!kind || elementClass(*kind) == ElementClass::Complex || type.isIndex())
    return {};
  if (isa<FloatType>(type))
    return type;
  return IntegerType::get(type.getContext(), bitWidth(*kind));
}

RankedTensorType heddle::loweredTensorType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return {};
  Type element = loweredElementType(tensor.getElementType());
  return element ? RankedTensorType::get(tensor.getShape(), element)
                 : RankedTensorType();
}

namespace {
/// Emits arithmetic on one element; `source` is the element type as StableHLO
/// has it, with its sign.
struct ScalarEmitter {
  OpBuilder &b;
  Location loc;
  Type source;
  ValueRange x;

  bool isFloat() const { return isa<FloatType>(source); }
  bool isBool() const { return source.isInteger(1); }
  bool isUnsigned() const { return source.isUnsignedInteger() || isBool(); }

  template <typename OpTy> Value op(ValueRange operands) {
    return OpTy::create(b, loc, operands).getResult();
  }
  template <typename FloatOp, typename IntOp> Value floatOrInt() {
    return isFloat() ? op<FloatOp>(x) : op<IntOp>(x);
  }
  template <typename FloatOp> Value floatOnly() {
    return isFloat() ? op<FloatOp>(x) : Value();
  }
  Value constant(double value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getFloatAttr(x[0].getType(), value));
  }
  Value integer(int64_t value) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(x[0].getType(), value));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value compare(arith::CmpIPredicate predicate, Value left, Value right) {
    return arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  Value compare(arith::CmpFPredicate predicate, Value left, Value right) {
    return arith::CmpFOp::create(b, loc, predicate, left, right);
  }

  Value add() {
    if (isBool())
      return op<arith::OrIOp>(x);
    return floatOrInt<arith::AddFOp, arith::AddIOp>();
  }
  Value multiply() {
    if (isBool())
      return op<arith::AndIOp>(x);
    return floatOrInt<arith::MulFOp, arith::MulIOp>();
  }
  Value maximum() {
    if (isFloat())
      return op<arith::MaximumFOp>(x);
    return isUnsigned() ? op<arith::MaxUIOp>(x) : op<arith::MaxSIOp>(x);
  }
  Value minimum() {
    if (isFloat())
      return op<arith::MinimumFOp>(x);
    return isUnsigned() ? op<arith::MinUIOp>(x) : op<arith::MinSIOp>(x);
  }

  /// Integers by squaring, with wrap-around. A negative exponent gives the
  /// integer part of the reciprocal: 0, but for bases of 1 and -1.
  Value power() {
    if (isFloat())
      return op<math::PowFOp>(x);
    Value base = x[0], exponent = x[1];
    Value one = integer(1), zero = integer(0);
    Value result = one;
    unsigned width = source.getIntOrFloatBitWidth();
    for (unsigned bit = 0; bit < width; ++bit) {
      Value wanted = op<arith::AndIOp>(
          {op<arith::ShRUIOp>({exponent, integer(bit)}), one});
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

  /// A divisor for which the machine's division is defined; `special` is where
  /// it was replaced by 1.
  Value safeDivisor(Value &zero, Value &overflow) {
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
  /// Integers: x / 0 = -1, least / -1 = least.
  Value divide() {
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
  Value floatRemainder() {
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
  /// Integers: x % 0 = x, least % -1 = 0.
  Value remainder() {
    if (isFloat())
      return floatRemainder();
    Value zero, overflow;
    Value divisor = safeDivisor(zero, overflow);
    Value rest = isUnsigned() ? op<arith::RemUIOp>({x[0], divisor})
                              : op<arith::RemSIOp>({x[0], divisor});
    return select(zero, x[0], rest);
  }
  /// Past the width: zero, or the sign.
  template <typename OpTy> Value shift(bool keepSign) {
    int64_t width = source.getIntOrFloatBitWidth();
    Value tooFar = compare(arith::CmpIPredicate::uge, x[1], integer(width));
    Value amount = select(tooFar, integer(keepSign ? width - 1 : 0), x[1]);
    Value shifted = op<OpTy>({x[0], amount});
    return keepSign ? shifted : select(tooFar, integer(0), shifted);
  }
  Value negate() {
    return isFloat() ? op<arith::NegFOp>(x)
                     : op<arith::SubIOp>({integer(0), x[0]});
  }
  Value absolute() {
    if (isFloat())
      return op<math::AbsFOp>(x);
    return isUnsigned() ? x[0] : op<math::AbsIOp>(x);
  }
  /// -1, 0 or 1; zeros keep their sign, NaN stays.
  Value sign() {
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
  /// 1 / (1 + exp(-x)) with e = exp(-|x|), of which nothing overflows: 1 or e
  /// over 1 + e. Narrow floats are rounded once.
  Value logistic() {
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
  Value isFinite() {
    Value infinity = arith::ConstantOp::create(
        b, loc,
        b.getFloatAttr(
            x[0].getType(),
            APFloat::getInf(
                cast<FloatType>(x[0].getType()).getFloatSemantics())));
    return compare(arith::CmpFPredicate::OLT, op<math::AbsFOp>(x), infinity);
  }

  Value compareOp(stablehlo::CompareOp compareOp);
  Value compareInts(stablehlo::ComparisonDirection direction, bool isUnsigned,
                    Value left, Value right);
  Value compareTotally(stablehlo::ComparisonDirection direction);
};
} // namespace

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

bool heddle::isScalarizable(Operation *op) {
  using namespace stablehlo;
  if (auto composite = dyn_cast<CompositeOp>(op))
    return composite.getName() == "chlo.erf";
  return isa<AddOp, SubtractOp, MulOp, DivOp, RemOp, MaxOp, MinOp, PowOp,
             Atan2Op, AndOp, OrOp, XorOp, NotOp, ShiftLeftOp,
             ShiftRightArithmeticOp, ShiftRightLogicalOp, NegOp, AbsOp, SignOp,
             ExpOp, Expm1Op, LogOp, Log1pOp, LogisticOp, RsqrtOp, SqrtOp,
             CbrtOp, SineOp, CosineOp, TanOp, TanhOp, CeilOp, FloorOp, RoundOp,
             RoundNearestEvenOp, ClzOp, PopulationCountOp, IsFiniteOp,
             ConvertOp, BitcastConvertOp, ReducePrecisionOp, CompareOp,
             SelectOp, ClampOp>(op) ||
         isa<chlo::ErfOp, chlo::ErfcOp, chlo::TanOp, chlo::SinhOp, chlo::CoshOp,
             chlo::AsinOp, chlo::AcosOp, chlo::AtanOp, chlo::AsinhOp,
             chlo::AcoshOp, chlo::AtanhOp, chlo::SquareOp, chlo::ConjOp,
             chlo::NextAfterOp, chlo::MulhiOp>(op) ||
         isSpecialFunction(op);
}

/// Emits `op` on scalars of the graph's types `source` and `target`.
static Value emitWithTypes(OpBuilder &builder, Operation *op,
                           ValueRange scalars, Type source, Type target) {
  using namespace stablehlo;
  ScalarEmitter e{builder, op->getLoc(), source, scalars};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](AddOp) { return e.add(); })
      .Case([&](SubtractOp) {
        return e.floatOrInt<arith::SubFOp, arith::SubIOp>();
      })
      .Case([&](MulOp) { return e.multiply(); })
      .Case([&](DivOp) { return e.divide(); })
      .Case([&](RemOp) { return e.remainder(); })
      .Case([&](MaxOp) { return e.maximum(); })
      .Case([&](MinOp) { return e.minimum(); })
      .Case([&](PowOp) { return e.power(); })
      .Case([&](Atan2Op) { return e.floatOnly<math::Atan2Op>(); })
      .Case([&](AndOp) { return e.op<arith::AndIOp>(scalars); })
      .Case([&](OrOp) { return e.op<arith::OrIOp>(scalars); })
      .Case([&](XorOp) { return e.op<arith::XOrIOp>(scalars); })
      .Case([&](NotOp) {
        return e.op<arith::XOrIOp>({scalars[0], e.integer(-1)});
      })
      .Case([&](ShiftLeftOp) { return e.shift<arith::ShLIOp>(false); })
      .Case(
          [&](ShiftRightArithmeticOp) { return e.shift<arith::ShRSIOp>(true); })
      .Case([&](ShiftRightLogicalOp) { return e.shift<arith::ShRUIOp>(false); })
      .Case([&](NegOp) { return e.negate(); })
      .Case([&](AbsOp) { return e.absolute(); })
      .Case([&](SignOp) { return e.sign(); })
      .Case([&](ExpOp) { return e.floatOnly<math::ExpOp>(); })
      .Case([&](Expm1Op) { return e.floatOnly<math::ExpM1Op>(); })
      .Case([&](LogOp) { return e.floatOnly<math::LogOp>(); })
      .Case([&](Log1pOp) { return e.floatOnly<math::Log1pOp>(); })
      .Case([&](LogisticOp) { return e.logistic(); })
      .Case([&](RsqrtOp) { return e.floatOnly<math::RsqrtOp>(); })
      .Case([&](SqrtOp) { return e.floatOnly<math::SqrtOp>(); })
      .Case([&](CbrtOp) { return e.floatOnly<math::CbrtOp>(); })
      .Case([&](SineOp) { return e.floatOnly<math::SinOp>(); })
      .Case([&](CosineOp) { return e.floatOnly<math::CosOp>(); })
      .Case([&](TanOp) { return e.floatOnly<math::TanOp>(); })
      .Case([&](TanhOp) { return e.floatOnly<math::TanhOp>(); })
      .Case([&](CeilOp) { return e.floatOnly<math::CeilOp>(); })
      .Case([&](FloorOp) { return e.floatOnly<math::FloorOp>(); })
      .Case([&](RoundOp) { return e.floatOnly<math::RoundOp>(); })
      .Case(
          [&](RoundNearestEvenOp) { return e.floatOnly<math::RoundEvenOp>(); })
      .Case([&](ClzOp) { return e.op<math::CountLeadingZerosOp>(scalars); })
      .Case([&](PopulationCountOp) { return e.op<math::CtPopOp>(scalars); })
      .Case([&](IsFiniteOp) { return e.isFinite(); })
      .Case([&](ConvertOp) {
        return convertScalar(builder, op->getLoc(), scalars[0], source, target);
      })
      .Case([&](BitcastConvertOp) -> Value {
        Type to = loweredElementType(target);
        if (source.getIntOrFloatBitWidth() != target.getIntOrFloatBitWidth())
          return {};
        if (scalars[0].getType() == to)
          return scalars[0];
        return arith::BitcastOp::create(builder, op->getLoc(), to, scalars[0]);
      })
      .Case([&](ReducePrecisionOp reduce) -> Value {
        if (!e.isFloat())
          return {};
        return emitReducePrecision(builder, op->getLoc(), scalars[0],
                                   reduce.getExponentBits(),
                                   reduce.getMantissaBits());
      })
      .Case([&](CompareOp compare) { return e.compareOp(compare); })
      .Case([&](SelectOp) {
        return e.select(scalars[0], scalars[1], scalars[2]);
      })
      .Case<CompositeOp, chlo::ErfOp>(
          [&](auto) { return e.floatOnly<math::ErfOp>(); })
      .Case([&](chlo::ErfcOp) { return e.floatOnly<math::ErfcOp>(); })
      .Case([&](chlo::TanOp) { return e.floatOnly<math::TanOp>(); })
      .Case([&](chlo::SinhOp) { return e.floatOnly<math::SinhOp>(); })
      .Case([&](chlo::CoshOp) { return e.floatOnly<math::CoshOp>(); })
      .Case([&](chlo::AsinOp) { return e.floatOnly<math::AsinOp>(); })
      .Case([&](chlo::AcosOp) { return e.floatOnly<math::AcosOp>(); })
      .Case([&](chlo::AtanOp) { return e.floatOnly<math::AtanOp>(); })
      .Case([&](chlo::AsinhOp) { return e.floatOnly<math::AsinhOp>(); })
      .Case([&](chlo::AcoshOp) { return e.floatOnly<math::AcoshOp>(); })
      .Case([&](chlo::AtanhOp) { return e.floatOnly<math::AtanhOp>(); })
      .Case([&](chlo::SquareOp) {
        SmallVector<Value> twice = {scalars[0], scalars[0]};
        return ScalarEmitter{builder, op->getLoc(), source, twice}.multiply();
      })
      .Case([&](chlo::ConjOp) { return scalars[0]; }) // of a real number
      .Case([&](chlo::NextAfterOp) {
        return emitNextAfter(builder, op->getLoc(), scalars[0], scalars[1]);
      })
      .Case([&](chlo::MulhiOp) {
        return emitMulHigh(builder, op->getLoc(), scalars[0], scalars[1],
                           e.isUnsigned());
      })
      .Case<chlo::LgammaOp, chlo::DigammaOp, chlo::ErfInvOp, chlo::BesselI1eOp>(
          [&](auto) { return emitSpecialFunction(builder, op, scalars[0]); })
      .Case([&](ClampOp) {
        ScalarEmitter low{builder, op->getLoc(), source,
                          ValueRange(scalars).take_front(2)};
        SmallVector<Value> high = {low.maximum(), scalars[2]};
        return ScalarEmitter{builder, op->getLoc(), source, high}.minimum();
      })
      .Default([](Operation *) { return Value(); });
}

/// An op on floats of a byte or less: on the numbers in f32, rounded to the
/// format again. Ops that ask for bits have no such form.
static Value emitThroughF32(OpBuilder &builder, Operation *op,
                            ValueRange scalars, Type source, Type target) {
  if (isa<stablehlo::ReducePrecisionOp, chlo::NextAfterOp>(op))
    return {};
  Type f32 = builder.getF32Type();
  SmallVector<Value> wide;
  for (auto [operand, scalar] : llvm::zip_equal(op->getOperands(), scalars)) {
    Type type = getElementTypeOrSelf(operand.getType());
    wide.push_back(isNarrowFloat(type) ? arith::ExtFOp::create(
                                             builder, op->getLoc(), f32, scalar)
                                             .getResult()
                                       : scalar);
  }
  Value result =
      emitWithTypes(builder, op, wide, isNarrowFloat(source) ? f32 : source,
                    isNarrowFloat(target) ? f32 : target);
  if (!result || !isNarrowFloat(target))
    return result;
  return arith::TruncFOp::create(builder, op->getLoc(), target, result);
}

/// An op on integers of less than a byte: on bytes, wrapped to the width.
static Value emitThroughByte(OpBuilder &builder, Operation *op,
                             ValueRange scalars, Type source, Type target) {
  using namespace stablehlo;
  if (isa<chlo::MulhiOp>(op))
    return {};
  Location loc = op->getLoc();
  SmallVector<Value> wide;
  for (auto [operand, scalar] : llvm::zip_equal(op->getOperands(), scalars)) {
    Type type = getElementTypeOrSelf(operand.getType());
    if (!isNarrowInteger(type)) {
      wide.push_back(scalar);
      continue;
    }
    // What asks for bits sees those of the type, whatever its sign.
    bool isFirst = wide.empty();
    bool asBits =
        isFirst && isa<ClzOp, PopulationCountOp, ShiftRightLogicalOp>(op);
    bool asSigned = isFirst && isa<ShiftRightArithmeticOp>(op);
    if (asBits || asSigned)
      type = IntegerType::get(type.getContext(), type.getIntOrFloatBitWidth(),
                              asBits ? IntegerType::Unsigned
                                     : IntegerType::Signless);
    wide.push_back(extendNarrowInteger(builder, loc, scalar, type));
  }
  Value result =
      emitWithTypes(builder, op, wide, byteType(source), byteType(target));
  if (!result || !isNarrowInteger(target))
    return result;
  if (isa<ClzOp>(op))
    result = arith::SubIOp::create(
        builder, loc, result,
        arith::ConstantOp::create(
            builder, loc,
            builder.getI8IntegerAttr(8 - target.getIntOrFloatBitWidth())));
  return wrapNarrowInteger(builder, loc, result, target);
}

Value heddle::emitScalarOp(OpBuilder &builder, Operation *op,
                           ValueRange scalars) {
  using namespace stablehlo;
  Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  Type target = getElementTypeOrSelf(op->getResult(0).getType());
  if (!loweredElementType(source) || !loweredElementType(target))
    return {};
  bool isNarrow = isNarrowFloat(source) || isNarrowFloat(target);
  if (isNarrow && !isa<ConvertOp, BitcastConvertOp, SelectOp>(op))
    return emitThroughF32(builder, op, scalars, source, target);
  if ((isNarrowInteger(source) || isNarrowInteger(target)) &&
      !isa<ConvertOp, BitcastConvertOp>(op))
    return emitThroughByte(builder, op, scalars, source, target);
  return emitWithTypes(builder, op, scalars, source, target);
}

Value heddle::scalarConstant(OpBuilder &builder, Location loc,
                             ElementsAttr value, Type type) {
  auto dense = dyn_cast<DenseElementsAttr>(value);
  if (!dense || (!dense.isSplat() && dense.getNumElements() != 1))
    return {};
  Attribute scalar = *dense.getValues<Attribute>().begin();
  if (auto number = dyn_cast<FloatAttr>(scalar))
    return arith::ConstantOp::create(
        builder, loc, builder.getFloatAttr(type, number.getValue()));
  if (auto number = dyn_cast<IntegerAttr>(scalar))
    return arith::ConstantOp::create(
        builder, loc,
        builder.getIntegerAttr(
            type, number.getValue().zextOrTrunc(type.getIntOrFloatBitWidth())));
  return {};
}

FailureOr<SmallVector<Value>> heddle::emitScalarRegion(OpBuilder &builder,
                                                       Region &region,
                                                       ValueRange arguments,
                                                       Operation *&culprit) {
  IRMapping values;
  Block &block = region.front();
  values.map(block.getArguments(), arguments);
  // A value of the region, or a constant outside of it.
  auto scalarOf = [&](Value value) -> Value {
    if (Value known = values.lookupOrNull(value))
      return known;
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    Type type = loweredElementType(getElementTypeOrSelf(value.getType()));
    if (!constant || !type)
      return {};
    return scalarConstant(builder, value.getLoc(), constant.getValue(), type);
  };
  for (Operation &op : block.without_terminator()) {
    culprit = &op;
    Value result;
    if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
      Type type = loweredElementType(
          getElementTypeOrSelf(constant.getOutput().getType()));
      if (type)
        result =
            scalarConstant(builder, op.getLoc(), constant.getValue(), type);
    } else if (isScalarizable(&op)) {
      SmallVector<Value> scalars;
      for (Value operand : op.getOperands())
        scalars.push_back(scalarOf(operand));
      if (!llvm::is_contained(scalars, Value()))
        result = emitScalarOp(builder, &op, scalars);
    } else if (isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp>(op)) {
      // On one element these do nothing.
      result = scalarOf(op.getOperand(0));
    }
    if (!result)
      return failure();
    values.map(op.getResult(0), result);
  }
  culprit = block.getTerminator();
  SmallVector<Value> results;
  for (Value value : culprit->getOperands()) {
    results.push_back(scalarOf(value));
    if (!results.back())
      return failure();
  }
  return results;
}
