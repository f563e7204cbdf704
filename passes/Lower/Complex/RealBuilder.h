// Writing formulas over real tensors as StableHLO.

#ifndef HEDDLE_PASSES_LOWER_COMPLEX_REALBUILDER_H
#define HEDDLE_PASSES_LOWER_COMPLEX_REALBUILDER_H

#include "dialects/StableHlo/StableHlo.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// Emits elementwise StableHLO on tensors of one shape and one float type.
/// Short names: the algorithms read like formulas.
class RealBuilder {
public:
  using Value = mlir::Value;

  RealBuilder(mlir::OpBuilder &builder, mlir::Location loc,
              mlir::RankedTensorType type)
      : builder(builder), loc(loc), type(type) {}

  Value c(double value);
  Value infinity();
  Value nan();

  Value add(Value a, Value b) { return make<stablehlo::AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<stablehlo::SubtractOp>(a, b); }
  Value mul(Value a, Value b) { return make<stablehlo::MulOp>(a, b); }
  Value mul(Value a, double b) { return mul(a, c(b)); }
  Value div(Value a, Value b) { return make<stablehlo::DivOp>(a, b); }
  Value atan2(Value y, Value x) { return make<stablehlo::Atan2Op>(y, x); }
  Value square(Value a) { return mul(a, a); }

  Value neg(Value a) { return make<stablehlo::NegOp>(a); }
  Value abs(Value a) { return make<stablehlo::AbsOp>(a); }
  Value sqrt(Value a) { return function<stablehlo::SqrtOp>(a); }
  Value cbrt(Value a) { return function<stablehlo::CbrtOp>(a); }
  Value exp(Value a) { return function<stablehlo::ExpOp>(a); }
  Value expm1(Value a) { return function<stablehlo::Expm1Op>(a); }
  Value log(Value a) { return function<stablehlo::LogOp>(a); }
  Value log1p(Value a) { return function<stablehlo::Log1pOp>(a); }
  Value sin(Value a) { return function<stablehlo::SineOp>(a); }
  Value cos(Value a) { return function<stablehlo::CosineOp>(a); }
  Value tan(Value a) { return function<stablehlo::TanOp>(a); }
  Value sinh(Value a);
  Value cosh(Value a);
  Value asinh(Value a);

  /// The larger (smaller) of two; NaN if one is.
  Value max(Value a, Value b) { return make<stablehlo::MaxOp>(a, b); }
  Value min(Value a, Value b) { return make<stablehlo::MinOp>(a, b); }
  /// `magnitude`'s absolute value with the sign bit of `sign`.
  Value copySign(Value magnitude, Value sign);
  /// The exponent e of positive normal numbers of f64, as a float, and 2^-e,
  /// where sqrt(1/2) <= a / 2^e < sqrt(2).
  std::pair<Value, Value> exponent(Value a);
  /// `a` held inside [-limit, limit]; NaN stays.
  Value bounded(Value a, double limit) {
    return max(c(-limit), min(a, c(limit)));
  }

  // Comparisons give a tensor of i1; all but `notEqual` are false for NaN.
  Value less(Value a, Value b) { return compare(Direction::LT, a, b); }
  Value greater(Value a, Value b) { return compare(Direction::GT, a, b); }
  Value equal(Value a, Value b) { return compare(Direction::EQ, a, b); }
  Value notEqual(Value a, Value b) { return compare(Direction::NE, a, b); }
  Value isZero(Value a) { return equal(a, c(0)); }
  Value isNan(Value a) { return notEqual(a, a); }
  Value isInfinite(Value a) { return equal(abs(a), infinity()); }
  Value isFinite(Value a) { return less(abs(a), infinity()); }
  Value both(Value a, Value b) { return make<stablehlo::AndOp>(a, b); }
  Value either(Value a, Value b) { return make<stablehlo::OrOp>(a, b); }
  Value negation(Value a) { return make<stablehlo::NotOp>(a); }
  Value select(Value condition, Value a, Value b) {
    return stablehlo::SelectOp::create(builder, loc, a.getType(), condition, a,
                                       b);
  }

  /// A scalar over all points; another tensor as it is.
  Value spread(Value a);
  /// Conversion of `a` to the builder's element type.
  Value convert(Value a);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::RankedTensorType type;

private:
  using Direction = stablehlo::ComparisonDirection;

  template <typename Op> Value make(Value a, Value b) {
    return Op::create(builder, loc, a.getType(), a, b).getResult();
  }
  template <typename Op> Value make(Value a) {
    return Op::create(builder, loc, a.getType(), a).getResult();
  }
  template <typename Op> Value function(Value a) {
    return Op::create(builder, loc, a.getType(), a,
                      stablehlo::ResultAccuracyAttr())
        .getResult();
  }
  Value compare(Direction direction, Value a, Value b) {
    return stablehlo::CompareOp::create(builder, loc, a, b, direction)
        .getResult();
  }
};

/// The real and the imaginary part of a complex tensor.
struct ComplexParts {
  mlir::Value re, im;
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_COMPLEX_REALBUILDER_H
