// Emits elementwise operations of StableHLO on one element.

#include "passes/Lower/Scalar/ScalarOps.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/StableHlo/StableHlo.h"
#include "passes/Lower/Scalar/LoweredTypes.h"
#include "passes/Lower/Scalar/NarrowTypes.h"
#include "passes/Lower/Scalar/ScalarBits.h"
#include "passes/Lower/Scalar/ScalarConversions.h"
#include "passes/Lower/Scalar/ScalarEmitter.h"
#include "passes/Lower/Scalar/SpecialFunctions.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

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
/// format again. Neighbours in the format are none in f32.
static Value emitThroughF32(OpBuilder &builder, Operation *op,
                            ValueRange scalars, Type source, Type target) {
  if (isa<chlo::NextAfterOp>(op))
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

/// Whether `op` compares floats of a byte in the total order, and their format
/// has NaN of both signs, which are one in f32.
static bool comparesBits(Operation *op, Type source) {
  auto compare = dyn_cast<stablehlo::CompareOp>(op);
  return compare &&
         compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER &&
         isa<Float8E5M2Type, Float8E4M3Type, Float8E3M4Type, Float8E4M3FNType>(
             source);
}

Value heddle::emitScalarOp(OpBuilder &builder, Operation *op,
                           ValueRange scalars) {
  using namespace stablehlo;
  Type source = getElementTypeOrSelf(op->getOperand(0).getType());
  Type target = getElementTypeOrSelf(op->getResult(0).getType());
  if (!loweredElementType(source) || !loweredElementType(target))
    return {};
  bool isNarrow = isNarrowFloat(source) || isNarrowFloat(target);
  if (isNarrow && !isa<ConvertOp, BitcastConvertOp, SelectOp>(op) &&
      !comparesBits(op, source))
    return emitThroughF32(builder, op, scalars, source, target);
  if ((isNarrowInteger(source) || isNarrowInteger(target)) &&
      !isa<ConvertOp, BitcastConvertOp>(op))
    return emitThroughByte(builder, op, scalars, source, target);
  return emitWithTypes(builder, op, scalars, source, target);
}
