// Arithmetic of StableHLO on one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALAREMITTER_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALAREMITTER_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace heddle {

/// Emits arithmetic on one element.
struct ScalarEmitter {
  mlir::OpBuilder &b;
  mlir::Location loc;
  /// The element type as StableHLO has it, with its sign.
  mlir::Type source;
  /// The operands, of the lowered type.
  mlir::ValueRange x;

  bool isFloat() const { return llvm::isa<mlir::FloatType>(source); }
  bool isBool() const { return source.isInteger(1); }
  bool isUnsigned() const { return source.isUnsignedInteger() || isBool(); }

  template <typename OpTy> mlir::Value op(mlir::ValueRange operands) {
    return OpTy::create(b, loc, operands).getResult();
  }
  template <typename FloatOp, typename IntOp> mlir::Value floatOrInt() {
    return isFloat() ? op<FloatOp>(x) : op<IntOp>(x);
  }
  template <typename FloatOp> mlir::Value floatOnly() {
    return isFloat() ? op<FloatOp>(x) : mlir::Value();
  }
  mlir::Value constant(double value) {
    return mlir::arith::ConstantOp::create(
        b, loc, b.getFloatAttr(x[0].getType(), value));
  }
  mlir::Value integer(int64_t value) {
    return mlir::arith::ConstantOp::create(
        b, loc, b.getIntegerAttr(x[0].getType(), value));
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return mlir::arith::SelectOp::create(b, loc, condition, yes, no);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value left,
                      mlir::Value right) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, left, right);
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value left,
                      mlir::Value right) {
    return mlir::arith::CmpFOp::create(b, loc, predicate, left, right);
  }

  mlir::Value add();
  mlir::Value multiply();
  mlir::Value maximum();
  mlir::Value minimum();

  /// Integers by squaring, with wrap-around. A negative exponent gives the
  /// integer part of the reciprocal: 0, but for bases of 1 and -1.
  mlir::Value power();

  /// Integers: x / 0 = -1, least / -1 = least.
  mlir::Value divide();
  /// Integers: x % 0 = x, least % -1 = 0.
  mlir::Value remainder();
  /// Past the width: zero, or the sign.
  template <typename OpTy> mlir::Value shift(bool keepSign) {
    int64_t width = source.getIntOrFloatBitWidth();
    mlir::Value tooFar =
        compare(mlir::arith::CmpIPredicate::uge, x[1], integer(width));
    mlir::Value amount =
        select(tooFar, integer(keepSign ? width - 1 : 0), x[1]);
    mlir::Value shifted = op<OpTy>({x[0], amount});
    return keepSign ? shifted : select(tooFar, integer(0), shifted);
  }
  mlir::Value negate();
  mlir::Value absolute();
  /// -1, 0 or 1; zeros keep their sign, NaN stays.
  mlir::Value sign();
  /// 1 / (1 + exp(-x)) with e = exp(-|x|), of which nothing overflows: 1 or e
  /// over 1 + e. Narrow floats are rounded once.
  mlir::Value logistic();
  mlir::Value isFinite();
  mlir::Value compareOp(stablehlo::CompareOp compareOp);

private:
  /// A divisor for which the machine's division is defined: 1 where `zero` or,
  /// of signed integers, `overflow` holds, which are set.
  mlir::Value safeDivisor(mlir::Value &zero, mlir::Value &overflow);
  mlir::Value floatRemainder();
  mlir::Value compareInts(stablehlo::ComparisonDirection direction,
                          bool isUnsigned, mlir::Value left, mlir::Value right);
  mlir::Value compareTotally(stablehlo::ComparisonDirection direction);
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALAREMITTER_H
