// Circular and hyperbolic functions of complex numbers and their inverses.
//
// tan and the inverse functions go after W. Kahan, Branch Cuts for Complex
// Elementary Functions (in: The State of the Art in Numerical Analysis, 1987).

#include "passes/Lower/Complex/ComplexFunctions.h"

using namespace mlir;

namespace heddle {

static constexpr double ln2 = 0.693147180559945309417232121458;
static constexpr double pi = 3.14159265358979323846264338328;

ComplexMath::Hyperbolic ComplexMath::hyperbolic(Value x) {
  if (single) {
    Value bounded = b.bounded(x, 700);
    return {b.cosh(bounded), b.sinh(bounded), Value()};
  }
  Value size = b.abs(x);
  Value large = b.greater(size, b.c(700));
  Value rest = b.sub(b.min(size, b.c(1500)), b.c(700));
  Value half = b.mul(b.exp(rest), 0.5);
  Value bounded = b.bounded(x, 700);
  return {b.select(large, half, b.cosh(bounded)),
          b.select(large, b.copySign(half, x), b.sinh(bounded)),
          b.select(large, b.c(1.0142320547350045e304), b.c(1))};
}

ComplexParts ComplexMath::sin(Parts z) {
  Hyperbolic h = hyperbolic(z.im);
  Parts value{b.mul(b.sin(z.re), h.cosh), b.mul(b.cos(z.re), h.sinh)};
  if (h.factor)
    value = {b.mul(value.re, h.factor), b.mul(value.im, h.factor)};
  // A zero stays one beside an infinity, an infinity one beside a NaN.
  Value wild = b.negation(b.isFinite(z.re));
  Value grows = b.both(wild, b.isInfinite(z.im));
  Value flat = b.both(wild, b.isZero(z.im));
  return {b.select(b.isZero(z.re), z.re, value.re),
          b.select(b.either(grows, flat), z.im, value.im)};
}

ComplexParts ComplexMath::cos(Parts z) {
  Hyperbolic h = hyperbolic(z.im);
  Parts value{b.mul(b.cos(z.re), h.cosh), b.neg(b.mul(b.sin(z.re), h.sinh))};
  if (h.factor)
    value = {b.mul(value.re, h.factor), b.mul(value.im, h.factor)};
  Value wild = b.negation(b.isFinite(z.re));
  Value grows = b.both(wild, b.isInfinite(z.im));
  Value flat = b.either(b.isZero(z.re), b.both(wild, b.isZero(z.im)));
  Value zero = b.neg(b.mul(b.copySign(b.c(1), z.re), b.copySign(b.c(0), z.im)));
  return {b.select(grows, b.infinity(), value.re),
          b.select(flat, zero, value.im)};
}

ComplexParts ComplexMath::sinh(Parts z) { return timesMinusI(sin(timesI(z))); }

ComplexParts ComplexMath::cosh(Parts z) { return cos(timesI(z)); }

/// (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y).
ComplexParts ComplexMath::tanh(Parts z) {
  // Beyond this the real part is 1 in any case.
  double limit = single ? 100 : 170;
  Value sinh = b.sinh(b.bounded(z.re, limit));
  Value sin = b.sin(z.im), cos = b.cos(z.im);
  // Of each two functions one follows from the other: less errors to add.
  Pair square = exactProduct(sinh, sinh), one = pair(b.c(1));
  Pair cosh = root(add(one, square));
  Value flat = b.less(b.abs(sin), b.abs(cos));
  Value small = b.select(flat, sin, cos);
  Pair low = exactProduct(small, small), high = add(one, negate(low));
  Pair divisor = add(square, select(flat, high, low));
  Value im = evaluate(divide(multiply(pair(small), root(high)), divisor));
  Parts value{evaluate(divide(multiply(pair(sinh), cosh), divisor)),
              b.copySign(im, b.mul(sin, cos))};
  Value size = b.abs(z.re);
  Value large = b.greater(size, b.c(single ? 50 : 30));
  Value unit = b.copySign(b.c(1), z.re);
  if (!single) {
    // 4 sin y cos y / e^2|x|.
    Value fading = b.mul(b.exp(b.mul(size, -2)), 4);
    value.im = b.select(b.greater(size, b.c(limit)),
                        b.mul(b.mul(sin, cos), fading), value.im);
  }
  value.re = b.select(b.both(large, b.isFinite(z.im)), unit, value.re);
  Parts atInfinity{unit, b.select(b.isFinite(z.im),
                                  b.copySign(b.c(0), b.mul(sin, cos)), b.c(0))};
  value = select(b.isInfinite(z.re), atInfinity, value);
  return {b.select(b.isZero(z.re), z.re, value.re),
          b.select(b.isZero(z.im), z.im, value.im)};
}

ComplexParts ComplexMath::tan(Parts z) { return timesMinusI(tanh(timesI(z))); }

/// asin z = atan(x / Re(sqrt(1 - z) sqrt(1 + z)))
///          + i asinh(Im(conj(sqrt(1 - z)) sqrt(1 + z))),
/// acos z = 2 atan(Re sqrt(1 - z) / Re sqrt(1 + z)) - i (the same).
ComplexMath::InverseSine ComplexMath::inverseSine(Parts z) {
  // The imaginary part's sign is put on in the end.
  Value x = z.re, y = b.abs(z.im);
  double limit = single ? 1e100 : 1e150;
  Value boundedX = b.bounded(x, limit), boundedY = b.min(y, b.c(limit));
  PairParts minus = rootOf(exactSum(b.c(1), b.neg(boundedX)), b.neg(boundedY));
  PairParts plus = rootOf(exactSum(b.c(1), boundedX), boundedY);
  Pair sides = multiply(minus.re, plus.re);
  Value side = evaluate(add(sides, negate(multiply(minus.im, plus.im))));
  Value height = evaluate(
      add(multiply(minus.re, plus.im), negate(multiply(minus.im, plus.re))));
  Value minusRe = evaluate(minus.re), plusRe = evaluate(plus.re);
  InverseSine result{b.atan2(boundedX, side),
                     b.mul(b.atan2(minusRe, plusRe), 2), b.asinh(height)};
  if (!single) {
    Value large = b.greater(b.max(b.abs(x), y), b.c(1e100));
    result.asinReal = b.select(large, b.atan2(x, y), result.asinReal);
    result.acosReal = b.select(large, b.atan2(y, x), result.acosReal);
    result.size =
        b.select(large, b.add(logOfAbs({x, y}), b.c(ln2)), result.size);
  }
  if (!single) {
    // Half of a subnormal number is none.
    Value faint = b.both(b.less(y, b.c(1e-290)), b.less(b.abs(x), b.c(1)));
    Value quotient = b.div(y, b.mul(minusRe, plusRe));
    result.size = b.select(faint, quotient, result.size);
  }
  Value infinite = b.either(b.isInfinite(x), b.isInfinite(y));
  result.size = b.select(infinite, b.infinity(), result.size);
  // Also beside a NaN.
  Value onAxis = b.isZero(x);
  result.asinReal = b.select(onAxis, x, result.asinReal);
  result.acosReal = b.select(onAxis, b.c(pi / 2), result.acosReal);
  return result;
}

ComplexParts ComplexMath::asin(Parts z) {
  InverseSine s = inverseSine(z);
  return {s.asinReal, b.copySign(s.size, z.im)};
}

ComplexParts ComplexMath::acos(Parts z) {
  InverseSine s = inverseSine(z);
  return {s.acosReal, b.copySign(s.size, b.neg(z.im))};
}

ComplexParts ComplexMath::asinh(Parts z) {
  return timesMinusI(asin(timesI(z)));
}

ComplexParts ComplexMath::acosh(Parts z) {
  InverseSine s = inverseSine(z);
  return {s.size, b.copySign(s.acosReal, z.im)};
}

/// Re = log1p(4 x / ((1 - x)^2 + y^2)) / 4, Im = atan(2 y / (1 - |z|^2)) / 2.
ComplexParts ComplexMath::atanh(Parts z) {
  double limit = single ? 1e100 : 1e150;
  Value x = b.min(b.abs(z.re), b.c(limit));
  Value y = b.min(b.abs(z.im), b.c(limit));
  Pair less = exactSum(b.c(1), b.neg(x)), more = exactSum(b.c(1), x);
  Pair height = exactProduct(y, y);
  Pair distances = add(multiply(less, less), height);
  Value distance = distances.high;
  Value ratio = evaluate(divide(pair(b.mul(x, 4)), distances));
  // At 1 only the infinity counts.
  ratio = b.select(b.isZero(distance), b.infinity(), ratio);
  Value re = b.mul(b.log1p(ratio), 0.25);
  Value gap = evaluate(add(multiply(less, more), negate(height)));
  Value im = b.mul(b.atan2(b.add(y, y), gap), 0.5);
  Value size = b.max(b.abs(z.re), b.abs(z.im));
  if (!single) {
    // There Re = x / |z|^2; of a quarter, so that |z| is no infinity.
    Value large = b.greater(size, b.c(1e100));
    Parts quarter{b.mul(b.abs(z.re), 0.25), b.mul(z.im, 0.25)};
    Value whole = abs(quarter);
    Value far = b.mul(b.div(b.div(quarter.re, whole), whole), 0.25);
    // Where the distance from 1 has no square.
    Value close = b.less(distance, b.c(1e-290));
    Value pole = b.mul(b.sub(b.c(ln2), b.log(y)), 0.5);
    re = b.select(close, pole, re);
    re = b.select(large, far, re);
    im = b.select(large, b.c(pi / 2), im);
  }
  Value infinite = b.either(b.isInfinite(z.re), b.isInfinite(z.im));
  re = b.select(infinite, b.c(0), re);
  im = b.select(infinite, b.c(pi / 2), im);
  // Beside a NaN, where a part is known all the same.
  re = b.select(b.isZero(z.re), b.c(0), re);
  im = b.select(b.isNan(z.im), z.im, im);
  return {b.copySign(re, z.re), b.copySign(im, z.im)};
}

ComplexParts ComplexMath::atan(Parts z) {
  return timesMinusI(atanh(timesI(z)));
}

/// -i log((x + i y) / sqrt(x^2 + y^2)), as the specification defines it.
ComplexParts ComplexMath::atan2(Parts y, Parts x) {
  Parts squares = multiply(x, x), more = multiply(y, y);
  Parts root = sqrt({b.add(squares.re, more.re), b.add(squares.im, more.im)});
  Parts sum{b.sub(x.re, y.im), b.add(x.im, y.re)};
  return timesMinusI(log(divide(sum, root)));
}

} // namespace heddle
