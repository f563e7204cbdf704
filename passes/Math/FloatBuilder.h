// Writing floating-point algorithms as MLIR, for scalars and vectors alike.

#ifndef HEDDLE_PASSES_MATH_FLOATBUILDER_H
#define HEDDLE_PASSES_MATH_FLOATBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

namespace heddle {

/// Emits arithmetic on one float type, scalar or vector, and on the integers of
/// its width. Short names: the algorithms read like formulas.
class FloatBuilder {
public:
  using Value = mlir::Value;

  FloatBuilder(mlir::OpBuilder &builder, mlir::Location loc, mlir::Type type,
               bool hasFma);

  /// The same lanes with elements of another float type.
  FloatBuilder withElements(mlir::FloatType element) const;
  /// The same lanes in f64, for results that are rounded to f32 in the end: no
  /// step needs compensation.
  FloatBuilder inDouble() const;

  mlir::Type type() const { return floatType; }
  mlir::FloatType element() const;

  Value c(double value);
  Value i(int64_t value);

  Value add(Value a, Value b) { return make<mlir::arith::AddFOp>(a, b); }
  Value sub(Value a, Value b) { return make<mlir::arith::SubFOp>(a, b); }
  Value mul(Value a, Value b) { return make<mlir::arith::MulFOp>(a, b); }
  Value div(Value a, Value b) { return make<mlir::arith::DivFOp>(a, b); }
  Value neg(Value a) { return make<mlir::arith::NegFOp>(a); }
  Value abs(Value a) { return make<mlir::math::AbsFOp>(a); }
  Value sqrt(Value a) { return make<mlir::math::SqrtOp>(a); }
  Value trunc(Value a) { return make<mlir::math::TruncOp>(a); }
  Value copySign(Value magnitude, Value sign) {
    return make<mlir::math::CopySignOp>(magnitude, sign);
  }
  /// a * b + c, in one rounding where the machine can.
  Value fma(Value a, Value b, Value c);
  /// a * b exactly, as the rounded product and what it lacks.
  std::pair<Value, Value> exactProduct(Value a, Value b);
  /// The polynomial with `coefficients[k]` at x^k.
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);

  Value less(Value a, Value b) { return compare(OLT, a, b); }
  Value greater(Value a, Value b) { return compare(OGT, a, b); }
  Value equal(Value a, Value b) { return compare(OEQ, a, b); }
  /// a <= b and a >= b, false for NaN.
  Value notGreater(Value a, Value b) { return compare(OLE, a, b); }
  Value notLess(Value a, Value b) { return compare(OGE, a, b); }
  Value isUnordered(Value a, Value b) { return compare(UNO, a, b); }
  Value isNan(Value a) { return compare(UNO, a, a); }
  Value both(Value a, Value b) { return make<mlir::arith::AndIOp>(a, b); }
  Value either(Value a, Value b) { return make<mlir::arith::OrIOp>(a, b); }
  Value select(Value condition, Value a, Value b) {
    return make<mlir::arith::SelectOp>(condition, a, b);
  }
  /// The smaller (larger); `x` if it is NaN. One instruction on x86.
  Value atMost(Value x, Value limit) {
    return select(greater(x, limit), limit, x);
  }
  Value atLeast(Value x, Value limit) {
    return select(less(x, limit), limit, x);
  }

  Value bits(Value a) { return cast<mlir::arith::BitcastOp>(a, intType); }
  Value fromBits(Value a) { return cast<mlir::arith::BitcastOp>(a, floatType); }
  Value iadd(Value a, Value b) { return make<mlir::arith::AddIOp>(a, b); }
  Value isub(Value a, Value b) { return make<mlir::arith::SubIOp>(a, b); }
  Value iand(Value a, Value b) { return make<mlir::arith::AndIOp>(a, b); }
  Value ior(Value a, Value b) { return make<mlir::arith::OrIOp>(a, b); }
  Value shl(Value a, int64_t n) { return make<mlir::arith::ShLIOp>(a, i(n)); }
  Value sar(Value a, int64_t n) { return make<mlir::arith::ShRSIOp>(a, i(n)); }
  Value iequal(Value a, Value b);
  Value toFloat(Value a) { return cast<mlir::arith::SIToFPOp>(a, floatType); }
  Value toInt(Value a) { return cast<mlir::arith::FPToSIOp>(a, intType); }

  /// Bits of the mantissa, and the bias of the exponent.
  int64_t mantissa() const;
  int64_t bias() const;
  /// 2^n for an integer n in the range of normal numbers.
  Value power2(Value n) {
    return fromBits(shl(iadd(n, i(bias())), mantissa()));
  }
  /// The integer nearest to a * b, as a float and as an integer; |a * b| must
  /// be below 2^(mantissa - 2).
  std::pair<Value, Value> nearest(Value a, double b);
  /// The integer n nearest to a * b, as a float, and 2^(n + shift), which must
  /// be a normal number.
  std::pair<Value, Value> nearestPower(Value a, double b, int64_t shift = 0);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasFma;
  /// Whether errors of less than a unit in the last place count.
  bool compensates = true;

private:
  static constexpr auto OLT = mlir::arith::CmpFPredicate::OLT;
  static constexpr auto OGT = mlir::arith::CmpFPredicate::OGT;
  static constexpr auto OLE = mlir::arith::CmpFPredicate::OLE;
  static constexpr auto OGE = mlir::arith::CmpFPredicate::OGE;
  static constexpr auto OEQ = mlir::arith::CmpFPredicate::OEQ;
  static constexpr auto UNO = mlir::arith::CmpFPredicate::UNO;

  Value compare(mlir::arith::CmpFPredicate predicate, Value a, Value b) {
    return mlir::arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  template <typename Op, typename... Args> Value make(Args... args) {
    return Op::create(builder, loc, args...);
  }
  template <typename Op> Value cast(Value a, mlir::Type to) {
    return Op::create(builder, loc, to, a);
  }

  mlir::Type floatType, intType;
};

} // namespace heddle

#endif // HEDDLE_PASSES_MATH_FLOATBUILDER_H
