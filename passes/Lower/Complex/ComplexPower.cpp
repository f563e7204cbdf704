// Powers of complex numbers. The error of a logarithm grows with the exponent,
// so that of complex<f64> is computed to 2^-64.

#include "passes/Lower/Complex/ComplexFunctions.h"

using namespace mlir;

namespace heddle {

/// Numbers in two parts, of 106 bits together.
struct Constant {
  double high, low;
};
static constexpr Constant pi = {3.141592653589793, 1.2246467991473532e-16};
static constexpr Constant third = {0.3333333333333333, 1.850371707708594e-17};
static constexpr Constant twoThirds = {0.6666666666666666,
                                       3.700743415417188e-17};
/// ln 2; the first has 33 bits, so that an exponent times it is exact.
static constexpr Constant ln2 = {6.93147180369123816490e-01,
                                 1.90821492927058770002e-10};
/// atan(k / 8).
static constexpr Constant arcTangents[] = {
    {0.0, 0.0},
    {0.12435499454676144, -3.1253241424539383e-18},
    {0.24497866312686414, 1.0698755618734451e-17},
    {0.35877067027057225, -2.4623815582638635e-17},
    {0.4636476090008061, 2.2698777452961687e-17},
    {0.5585993153435624, -5.4556305485916264e-18},
    {0.6435011087932844, 1.5834785051444286e-17},
    {0.7188299996216245, -2.1478388444456983e-17},
    {0.7853981633974483, 3.061616997868383e-17}};

/// The polynomial with `coefficients[k]` at x^k.
static Value polynomial(RealBuilder &b, Value x,
                        llvm::ArrayRef<double> coefficients) {
  Value value = b.c(coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    value = b.add(b.mul(value, x), b.c(coefficient));
  return value;
}

/// log |z| = (e ln 2 + log(1 + f)) / 2 with |z|^2 = 2^e (1 + f) and, where
/// s = f / (2 + f), log(1 + f) = 2 s + 2/3 s^3 + 2/5 s^5 + ...
ComplexMath::Pair ComplexMath::logOfAbsPair(const Scaled &scaled) {
  Pair square = squares(scaled.z.re, scaled.z.im);
  auto [exponent, inverse] = b.exponent(square.high);
  Pair m{b.mul(square.high, inverse), b.mul(square.low, inverse)};
  Pair s = divide(add(m, pair(b.c(-1))), add(m, pair(b.c(1))));
  Pair z = multiply(s, s), cube = multiply(z, s);
  Pair value = add(scaledBy(s, 2),
                   multiply(cube, {b.c(twoThirds.high), b.c(twoThirds.low)}));
  // z < 0.03: what is left away is 1e-21 of the whole.
  Value tail = polynomial(b, z.high,
                          {2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                           2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23});
  tail = b.mul(b.mul(cube.high, z.high), tail);
  // Squares have twice the exponent.
  Value one = b.c(1), shift = b.c(1200);
  Value shifted =
      b.select(b.greater(scaled.inverse, one), shift,
               b.select(b.less(scaled.inverse, one), b.neg(shift), b.c(0)));
  exponent = b.add(exponent, shifted);
  value = add(pair(b.mul(exponent, ln2.high)), value);
  value = add(value, pair(b.mul(exponent, ln2.low)));
  return scaledBy(add(value, pair(tail)), 0.5);
}

/// Of the smaller part over the larger, atan(t) = atan(k / 8) + atan(r) with
/// r = (t - k / 8) / (1 + t k / 8), at most 1/16, and Taylor's series.
ComplexMath::Pair ComplexMath::anglePair(Parts z) {
  Value x = b.abs(z.re), y = b.abs(z.im);
  Value more = b.max(x, y), less = b.min(x, y);
  // The sum has room for eighths.
  Value room = b.c(0x1.8p49);
  Value near = b.sub(b.add(b.div(less, more), room), room);
  Pair below = exactProduct(near, more);
  Pair r = divide(add(pair(less), negate(below)),
                  add(pair(more), exactProduct(near, less)));
  Pair square = multiply(r, r);
  Pair cube = multiply(multiply(square, r), {b.c(third.high), b.c(third.low)});
  // r^2 <= 2^-8: what is left away is 2^-68 of the whole.
  Value tail =
      polynomial(b, square.high,
                 {1.0 / 5, -1.0 / 7, 1.0 / 9, -1.0 / 11, 1.0 / 13, -1.0 / 15});
  Value fourth = b.square(square.high);
  tail = b.mul(b.mul(r.high, fourth), tail);
  Pair value = add(r, negate(cube));
  Pair known = pair(b.c(0));
  for (auto [k, angle] : llvm::enumerate(arcTangents))
    known = select(b.equal(near, b.c(k / 8.0)),
                   Pair{b.c(angle.high), b.c(angle.low)}, known);
  value = add(known, add(value, pair(tail)));
  Pair half{b.c(pi.high), b.c(pi.low)}, quarter = scaledBy(half, 0.5);
  value = select(b.greater(y, x), add(quarter, negate(value)), value);
  value = select(b.less(z.re, b.c(0)), add(half, negate(value)), value);
  Value sign = b.copySign(b.c(1), z.im);
  return {b.mul(value.high, sign), b.mul(value.low, sign)};
}

ComplexMath::PairParts ComplexMath::logPair(Parts z) {
  Scaled s = scaled(z);
  return {logOfAbsPair(s), anglePair(s.z)};
}

ComplexParts ComplexMath::power(Parts z, Parts w) {
  Parts exponent = multiply({logOfAbs(z), angle(z)}, w);
  Parts value;
  if (single) {
    value = exp(exponent);
  } else {
    PairParts log = logPair(z);
    auto product = [&](Pair x, Value y) { return multiply(x, pair(y)); };
    Pair re = add(product(log.re, w.re), negate(product(log.im, w.im)));
    Pair im = add(product(log.re, w.im), product(log.im, w.re));
    re = exactSum(re.high, re.low);
    im = exactSum(im.high, im.low);
    // Infinities, NaN and the ends of the range are not for pairs.
    Value known = b.both(b.isFinite(b.add(re.low, im.low)),
                         b.both(b.isFinite(re.high), b.isFinite(im.high)));
    value = exp(select(known, Parts{re.high, im.high}, exponent));
    // exp(h + l) = exp(h) (1 + l). Of angles beyond 2^32 no digit is known.
    auto correction = [&](Value low) {
      Value small = b.both(known, b.less(b.abs(low), b.c(0x1p-20)));
      return b.select(small, low, b.c(0));
    };
    Parts low{correction(re.low), correction(im.low)};
    Parts more = multiply(value, low);
    // Zeros keep their signs.
    auto corrected = [&](Value part, Value by) {
      return b.select(b.isZero(by), part, b.add(part, by));
    };
    Parts better{corrected(value.re, more.re), corrected(value.im, more.im)};
    Value finite = b.both(b.isFinite(better.re), b.isFinite(better.im));
    value = select(finite, better, value);
  }
  Value zero = b.both(b.isZero(z.re), b.isZero(z.im));
  Value positive = b.greater(w.re, b.c(0));
  Parts ofZero{b.select(positive, b.c(0), b.nan()),
               b.select(positive, b.c(0), b.nan())};
  value = select(zero, ofZero, value);
  Value toZero = b.both(b.isZero(w.re), b.isZero(w.im));
  return select(toZero, Parts{b.c(1), b.c(0)}, value);
}

} // namespace heddle
