// Functions of complex numbers as arithmetic on their parts.

#ifndef HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXFUNCTIONS_H
#define HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXFUNCTIONS_H

#include "passes/Lower/Complex/RealBuilder.h"

namespace heddle {

/// Formulas for one element type. complex<f32> is computed in f64
/// (`fromSingle`): there squares neither overflow nor vanish, so that the
/// plain formula will do; complex<f64> takes the longer way.
///
/// Infinities and signs of zeros are those of C17 annex G, branch cuts are
/// continuous with the quadrant that the zero's sign names.
class ComplexMath {
public:
  using Value = mlir::Value;
  using Parts = ComplexParts;

  ComplexMath(RealBuilder &b, bool fromSingle) : b(b), single(fromSingle) {}

  Value abs(Parts z);
  /// The angle of z, in [-pi, pi].
  Value angle(Parts z) { return b.atan2(z.im, z.re); }
  Parts multiply(Parts z, Parts w);
  Parts divide(Parts z, Parts w);
  Parts sign(Parts z);
  Parts sqrt(Parts z);
  Parts rsqrt(Parts z);
  Parts cbrt(Parts z);
  Parts exp(Parts z);
  Parts expm1(Parts z);
  Parts log(Parts z);
  Parts log1p(Parts z);
  Parts logistic(Parts z);
  Parts power(Parts z, Parts w);
  Parts sin(Parts z);
  Parts cos(Parts z);
  Parts tan(Parts z);
  Parts sinh(Parts z);
  Parts cosh(Parts z);
  Parts tanh(Parts z);
  Parts asin(Parts z);
  Parts acos(Parts z);
  Parts atan(Parts z);
  Parts asinh(Parts z);
  Parts acosh(Parts z);
  Parts atanh(Parts z);
  Parts atan2(Parts y, Parts x);

private:
  /// z times a power of two (of four) that keeps squares of the parts in range.
  struct Scaled {
    Parts z;
    Value inverse;
    /// Roots of `inverse`, and its logarithm.
    Value rootOfInverse, cubeRootOfInverse, logOfInverse;
  };
  Scaled scaled(Parts z);
  Value logOfAbs(Parts z);
  /// (cosh x, sinh x), of which `factor` was left out.
  struct Hyperbolic {
    Value cosh, sinh, factor;
  };
  Hyperbolic hyperbolic(Value x);
  /// Of asin: |imaginary part| and what the real parts are angles of.
  struct InverseSine {
    Value asinReal, acosReal, size;
  };
  InverseSine inverseSine(Parts z);
  /// high + low, where low is what rounding took; formulas for complex<f32> do
  /// without it.
  struct Pair {
    Value high, low;
  };
  /// The rounded sum, and what it lacks (Knuth).
  std::pair<Value, Value> twoSum(Value a, Value b);
  Pair exactSum(Value a, Value b);
  Pair exactProduct(Value a, Value b);
  Pair add(Pair x, Pair y);
  Pair multiply(Pair x, Pair y);
  Pair divide(Pair x, Pair y);
  Pair root(Pair x);
  Pair negate(Pair x);
  Pair scaledBy(Pair x, double powerOfTwo);
  Pair select(Value condition, Pair x, Pair y) {
    return {b.select(condition, x.high, y.high),
            single ? Value() : b.select(condition, x.low, y.low)};
  }
  /// A number as a pair.
  Pair pair(Value x) { return {x, single ? Value() : b.c(0)}; }
  Value evaluate(Pair x) { return x.low ? b.add(x.high, x.low) : x.high; }
  /// x^2 + y^2.
  Pair squares(Value x, Value y) {
    return add(exactProduct(x, x), exactProduct(y, y));
  }
  struct PairParts {
    Pair re, im;
  };
  /// The root of numbers whose squares do not overflow.
  PairParts rootOf(Pair re, Value im);
  /// log |z| and the angle of finite numbers but zero, to 2^-64 of the larger.
  PairParts logPair(Parts z);
  Pair logOfAbsPair(const Scaled &s);
  Pair anglePair(Parts z);

  /// i z and -i z.
  Parts timesI(Parts z) { return {b.neg(z.im), z.re}; }
  Parts timesMinusI(Parts z) { return {z.im, b.neg(z.re)}; }
  Parts select(Value condition, Parts z, Parts w) {
    return {b.select(condition, z.re, w.re), b.select(condition, z.im, w.im)};
  }

  RealBuilder &b;
  bool single;
};

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_COMPLEX_COMPLEXFUNCTIONS_H
