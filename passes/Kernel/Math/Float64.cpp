// The functions for f64. Those that f32 seldom needs are computed here too and
// rounded: half a unit in the last place, at a third of the speed.
//
// Polynomials are Taylor series where these are short, else our own fits by the
// Remez exchange or in Chebyshev polynomials; errors are relative. Compensated
// forms of log after fdlibm's e_log.c (Sun Microsystems, 1993).

#include "passes/Kernel/Math/Functions.h"

#include <limits>

using namespace mlir;

namespace heddle::float64 {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// ln 2 in two parts; the first has 33 bits, so that n times it is exact.
static constexpr double ln2High = 6.93147180369123816490e-01;
static constexpr double ln2Low = 1.90821492927058770002e-10;
static constexpr double ln2 = 0.69314718055994530942;
static constexpr double log2e = 1.44269504088896340736;
static constexpr double pi = 3.14159265358979323846;

/// exp(r) - 1 for |r| <= 0.35, by Taylor's series: 4e-18.
static Value expm1Reduced(FloatBuilder &b, Value r) {
  static constexpr double factorials[] = {
      1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
      1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
      1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  return b.fma(b.mul(r, r), b.polynomial(r, factorials), r);
}

/// x = n ln2 + r.
static std::pair<Value, Value> reduce(FloatBuilder &b, Value x) {
  auto [whole, n] = b.nearest(x, log2e);
  Value r = b.fma(whole, b.c(-ln2High), x);
  return {b.fma(whole, b.c(-ln2Low), r), n};
}

/// value * 2^n, in two steps, of which only the last can round or overflow.
static Value scale(FloatBuilder &b, Value value, Value n) {
  Value half = b.sar(n, 1);
  value = b.mul(value, b.power2(half));
  return b.mul(value, b.power2(b.isub(n, half)));
}

/// exp(x) 2^shift.
static Value scaledExp(FloatBuilder &b, Value x, int64_t shift) {
  x = b.atLeast(b.atMost(x, b.c(711)), b.c(-746));
  auto [r, n] = reduce(b, x);
  if (shift != 0)
    n = b.iadd(n, b.i(shift));
  return scale(b, b.add(expm1Reduced(b, r), b.c(1)), n);
}

Value exp(FloatBuilder &b, Value x) { return scaledExp(b, x, 0); }

Value exp2(FloatBuilder &b, Value x) {
  x = b.atLeast(b.atMost(x, b.c(1025)), b.c(-1080));
  auto [whole, n] = b.nearest(x, 1);
  Value r = b.mul(b.sub(x, whole), b.c(ln2));
  return scale(b, b.add(expm1Reduced(b, r), b.c(1)), n);
}

Value expm1(FloatBuilder &b, Value x) {
  auto [r, n] = reduce(b, b.atLeast(b.atMost(x, b.c(709)), b.c(-40)));
  Value power = b.power2(n);
  Value value = b.fma(power, expm1Reduced(b, r), b.sub(power, b.c(1)));
  value = b.select(b.greater(x, b.c(709)), exp(b, x), value);
  return b.select(b.equal(x, b.c(0)), x, value);
}

/// log x = e ln2 + y, with sqrt(1/2) <= x / 2^e < sqrt(2), for positive x;
/// `correction` is what x lacks, absolutely.
static std::pair<Value, Value> logParts(FloatBuilder &b, Value x,
                                        Value correction = {}) {
  Value tiny = b.less(x, b.c(std::numeric_limits<double>::min()));
  Value normal = b.select(tiny, b.mul(x, b.c(0x1p54)), x);
  Value bits = b.bits(normal);
  Value e = b.sar(b.isub(bits, b.i(0x3fe6a09e667f3bcd)), 52);
  Value f = b.sub(b.fromBits(b.isub(bits, b.shl(e, 52))), b.c(1));
  Value exponent = b.toFloat(e);
  exponent = b.select(tiny, b.sub(exponent, b.c(54)), exponent);
  // With s = f / (2 + f): log(1 + f) = f - (f^2/2 - s (f^2/2 + s^2 R(s^2))),
  // relative error of R's part 2.5e-18.
  Value s = b.div(f, b.add(f, b.c(2)));
  Value z = b.mul(s, s);
  Value r = b.mul(z, b.polynomial(z, {0.6666666666666735, 0.3999999999941111,
                                      0.285714287432593, 0.22222198476224614,
                                      0.18183569732552246, 0.15313903309495017,
                                      0.14797508217555197}));
  Value half = b.mul(b.mul(f, f), b.c(0.5));
  Value tail = b.mul(s, b.add(half, r));
  if (correction)
    tail = b.add(tail, b.div(correction, x));
  return {exponent, b.sub(f, b.sub(half, tail))};
}

/// The limits and the domain of a logarithm, where `zero` is x's distance from
/// the pole.
static Value logLimits(FloatBuilder &b, Value zero, Value value) {
  value = b.select(b.equal(zero, b.c(0)), b.c(-infinity), value);
  value = b.select(b.less(zero, b.c(infinity)), value, zero);
  return b.select(b.less(zero, b.c(0)), b.c(nan), value);
}

Value log(FloatBuilder &b, Value x) {
  auto [e, y] = logParts(b, x);
  Value value = b.fma(e, b.c(ln2Low), y);
  return logLimits(b, x, b.fma(e, b.c(ln2High), value));
}

Value log2(FloatBuilder &b, Value x) {
  auto [e, y] = logParts(b, x);
  return logLimits(b, x, b.fma(y, b.c(log2e), e));
}

Value log10(FloatBuilder &b, Value x) {
  // log10(2) in two parts, the first of 33 bits.
  auto [e, y] = logParts(b, x);
  Value value = b.mul(y, b.c(0.43429448190325182765));
  value = b.fma(e, b.c(3.69423907715893078616e-13), value);
  return logLimits(b, x, b.fma(e, b.c(3.01029995663611771306e-01), value));
}

Value log1p(FloatBuilder &b, Value x) {
  Value u = b.add(x, b.c(1));
  // What the sum lost, seen from the larger operand.
  Value lost = b.select(b.greater(x, b.c(1)), b.sub(b.c(1), b.sub(u, x)),
                        b.sub(x, b.sub(u, b.c(1))));
  auto [e, y] = logParts(b, u, lost);
  Value value = b.fma(e, b.c(ln2Low), y);
  value = logLimits(b, u, b.fma(e, b.c(ln2High), value));
  return b.select(b.equal(x, b.c(0)), x, value);
}

Value tanh(FloatBuilder &b, Value x) {
  Value size = b.atMost(b.abs(x), b.c(20));
  Value e = expm1(b, b.add(size, size));
  return b.copySign(b.div(e, b.add(e, b.c(2))), x);
}

/// erf for |x| <= 1: x + x P(x^2), 1.3e-19.
static Value erfSmall(FloatBuilder &b, Value x) {
  Value p = b.polynomial(
      b.mul(x, x),
      {0.1283791670955126, -0.3761263890318375, 0.11283791670954857,
       -0.026866170645072893, 0.005223977624780835, -0.0008548326978740568,
       0.00012055331036846668, -1.4925593505766362e-05, 1.646097280119071e-06,
       -1.6350025076223805e-07, 1.4657878989888398e-08, -1.1365663136626756e-09,
       5.945257693938778e-11});
  return b.fma(p, x, x);
}

/// erfc for x >= 0: t exp(-x^2 + P(2t - 1)) with t = 2 / (2 + x), the form of
/// Numerical Recipes (3rd edition, 6.2.2); our fit, 1.6e-16.
static Value erfcPositive(FloatBuilder &b, Value x) {
  x = b.atMost(x, b.c(28));
  Value t = b.div(b.c(2), b.add(x, b.c(2)));
  Value y = b.sub(b.add(t, t), b.c(1));
  Value p = b.polynomial(
      y,
      {-0.6717940840566922,     0.672643223977656,      0.047343306841863525,
       -0.046895610231083025,   -0.009872689364099222,  0.008824938553738764,
       0.0017589335074028032,   -0.002345812444802156,  -0.00014624628742128406,
       0.0006736782697069831,   -9.373894767667295e-05, -0.00017429984933155644,
       7.141810433422301e-05,   3.173310599377061e-05,  -3.023784054007137e-05,
       1.699233231227702e-07,   8.662535397475538e-06,  -3.007645434410669e-06,
       -1.409445991433531e-06,  1.3267813608518889e-06, -4.146853754663641e-08,
       -3.168341367694147e-07,  7.745572408758512e-08,  3.972203547273795e-08,
       -1.2776086554968677e-08, -1.5867042924138042e-09});
  // One exponential, of the sum's high part; the low parts are a factor.
  auto [square, lost] = b.exactProduct(x, x);
  Value high = b.sub(p, square);
  Value back = b.add(high, square);
  Value low = b.add(b.sub(p, back), b.sub(square, b.sub(back, high)));
  Value value = exp(b, high);
  return b.mul(t, b.fma(value, b.sub(low, lost), value));
}

Value erf(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value large = b.copySign(b.sub(b.c(1), erfcPositive(b, size)), x);
  return b.select(b.greater(size, b.c(1)), large, erfSmall(b, x));
}

Value erfc(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value value = erfcPositive(b, size);
  value = b.select(b.less(x, b.c(0)), b.sub(b.c(2), value), value);
  Value small = b.sub(b.c(1), erfSmall(b, x));
  return b.select(b.less(size, b.c(0.5)), small, value);
}

QuarterTurns reduceQuarterTurns(FloatBuilder &b, Value x) {
  // pi/2 in four parts of 33 bits (fdlibm, e_rem_pio2.c).
  auto [whole, n] = b.nearest(x, 2 / pi);
  Value r = x;
  for (double part : {1.57079632673412561417e+00, 6.07710050630396597660e-11,
                      2.02226624871116645580e-21, 8.47842766036889956997e-32})
    r = b.fma(whole, b.c(-part), r);
  return {r, n};
}

Value sineOf(FloatBuilder &b, QuarterTurns angle, int64_t shift) {
  Value r = angle.rest, square = b.mul(r, r);
  // Taylor: |r| <= pi/4, 2e-18.
  Value sin =
      b.polynomial(square, {-1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880,
                            -1.0 / 39916800, 1.0 / 6227020800.0,
                            -1.0 / 1307674368000.0, 1.0 / 355687428096000.0});
  sin = b.fma(b.mul(square, r), sin, r);
  Value cos = b.polynomial(
      square, {1, -0.5, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
               1.0 / 479001600, -1.0 / 87178291200.0, 1.0 / 20922789888000.0});
  Value quadrant = b.iadd(angle.count, b.i(shift));
  Value isSine = b.iequal(b.iand(quadrant, b.i(1)), b.i(0));
  Value value = b.select(isSine, sin, cos);
  Value positive = b.iequal(b.iand(quadrant, b.i(2)), b.i(0));
  return b.select(positive, value, b.neg(value));
}

/// atan for 0 <= z <= 1: about tan(pi/8), then z + z^3 A(z^2), 4.6e-20.
static Value atanUnit(FloatBuilder &b, Value z) {
  Value upper = b.greater(z, b.c(0.41421356237309504880));
  Value w = b.select(upper, b.div(b.sub(z, b.c(1)), b.add(z, b.c(1))), z);
  Value square = b.mul(w, w);
  Value a = b.polynomial(square, {-0.33333333333333326, 0.1999999999999767,
                                  -0.1428571428538813, 0.11111111088184945,
                                  -0.0909090814477195, 0.07692282763846452,
                                  -0.06666226829388613, 0.05877022459804092,
                                  -0.0521840837423688, 0.04503564531180016,
                                  -0.03347478321167795, 0.015195459183911452});
  a = b.fma(b.mul(square, w), a, w);
  return b.select(upper, b.add(a, b.c(pi / 4)), a);
}

Value atan(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value outside = b.greater(size, b.c(1));
  Value a = atanUnit(b, b.select(outside, b.div(b.c(1), size), size));
  a = b.select(outside, b.sub(b.c(pi / 2), a), a);
  return b.copySign(a, x);
}

Value atan2(FloatBuilder &b, Value y, Value x) {
  Value width = b.abs(x), height = b.abs(y);
  Value steep = b.greater(height, width);
  Value small = b.select(steep, width, height);
  Value large = b.select(steep, height, width);
  Value ratio = b.div(small, large);
  ratio = b.select(b.equal(large, b.c(0)), b.c(0), ratio);
  ratio = b.select(b.equal(small, b.c(infinity)), b.c(1), ratio);
  Value a = atanUnit(b, ratio);
  a = b.select(steep, b.sub(b.c(pi / 2), a), a);
  Value left = b.less(b.copySign(b.c(1), x), b.c(0));
  a = b.select(left, b.sub(b.c(pi), a), a);
  a = b.select(b.either(b.isNan(x), b.isNan(y)), b.c(nan), a);
  return b.copySign(a, y);
}

Value asin(FloatBuilder &b, Value x) {
  Value rest = b.mul(b.sub(b.c(1), x), b.add(b.c(1), x));
  return atan2(b, x, b.sqrt(rest));
}

Value acos(FloatBuilder &b, Value x) {
  Value rest = b.mul(b.sub(b.c(1), x), b.add(b.c(1), x));
  return atan2(b, b.sqrt(rest), x);
}

Value sinh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value e = expm1(b, b.atMost(size, b.c(700)));
  Value value = b.mul(b.c(0.5), b.add(e, b.div(e, b.add(e, b.c(1)))));
  value = b.select(b.greater(size, b.c(40)), scaledExp(b, size, -1), value);
  return b.copySign(value, x);
}

Value cosh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value e = exp(b, b.atMost(size, b.c(700)));
  Value value = b.mul(b.c(0.5), b.add(e, b.div(b.c(1), e)));
  return b.select(b.greater(size, b.c(40)), scaledExp(b, size, -1), value);
}

Value asinh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value square = b.mul(size, size);
  Value root = b.sqrt(b.add(square, b.c(1)));
  Value inner = b.add(size, b.div(square, b.add(root, b.c(1))));
  Value value = b.select(b.greater(size, b.c(0x1p28)),
                         b.add(log(b, size), b.c(ln2)), log1p(b, inner));
  return b.copySign(value, x);
}

Value acosh(FloatBuilder &b, Value x) {
  Value t = b.sub(x, b.c(1));
  Value root = b.sqrt(b.fma(t, t, b.add(t, t)));
  Value value = b.select(b.greater(x, b.c(0x1p28)), b.add(log(b, x), b.c(ln2)),
                         log1p(b, b.add(t, root)));
  return b.select(b.less(x, b.c(1)), b.c(nan), value);
}

Value atanh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value inner = b.div(b.add(size, size), b.sub(b.c(1), size));
  return b.copySign(b.mul(b.c(0.5), log1p(b, inner)), x);
}

Value cbrt(FloatBuilder &b, Value x) {
  // Subnormals are brought up by 2^54.
  Value tiny = b.less(b.abs(x), b.c(std::numeric_limits<double>::min()));
  Value size = b.abs(b.select(tiny, b.mul(x, b.c(0x1p54)), x));
  Value root = exp(b, b.div(log(b, size), b.c(3)));
  // One step of Newton's takes the error of the logarithm away.
  Value square = b.mul(root, root);
  Value wrong = b.fma(square, root, b.neg(size));
  root = b.sub(root, b.div(wrong, b.mul(b.c(3), square)));
  root = b.select(tiny, b.mul(root, b.c(0x1p-18)), root);
  Value trivial = b.either(b.equal(size, b.c(0)), b.equal(size, b.c(infinity)));
  return b.select(trivial, x, b.copySign(root, x));
}

/// The signs, limits and domain of x^y, where `value` is |x|^y.
static Value powLimits(FloatBuilder &b, Value x, Value y, Value value) {
  Value size = b.abs(x);
  Value isWhole = b.equal(b.trunc(y), y);
  Value halfY = b.mul(y, b.c(0.5));
  Value isEven = b.equal(b.trunc(halfY), halfY);
  Value negative = b.less(b.copySign(b.c(1), x), b.c(0));
  // Negative base: NaN unless y is whole; the sign is y's parity.
  Value odd = b.both(negative, b.select(isEven, b.less(y, y), isWhole));
  value = b.select(odd, b.neg(value), value);
  Value noRoot = b.both(b.both(b.less(x, b.c(0)), b.less(size, b.c(infinity))),
                        b.select(isWhole, b.less(y, y), b.equal(y, y)));
  value = b.select(noRoot, b.c(nan), value);
  Value isOne =
      b.either(b.either(b.equal(y, b.c(0)), b.equal(x, b.c(1))),
               b.both(b.equal(size, b.c(1)), b.equal(b.abs(y), b.c(infinity))));
  return b.select(isOne, b.c(1), value);
}

Value powOfSingle(FloatBuilder &b, Value x, Value y) {
  return powLimits(b, x, y, exp(b, b.mul(y, log(b, b.abs(x)))));
}

/// An unevaluated sum.
struct Pair {
  Value high, low;
};

static Pair multiply(FloatBuilder &b, Pair x, Pair y) {
  auto [high, low] = b.exactProduct(x.high, y.high);
  low = b.add(low, b.add(b.mul(x.high, y.low), b.mul(x.low, y.high)));
  return {high, low};
}

/// |x| >= |y|.
static Pair sumOfOrdered(FloatBuilder &b, Value x, Pair y) {
  Value high = b.add(x, y.high);
  return {high, b.add(b.sub(y.high, b.sub(high, x)), y.low)};
}

/// log x to about 2^-65, for positive normal x: with s = f / (2 + f),
/// log(1 + f) = 2 s + 2/3 s^3 + 2/5 s^5 + ...; the first two terms in pairs.
static Pair logPair(FloatBuilder &b, Value x) {
  Value tiny = b.less(x, b.c(std::numeric_limits<double>::min()));
  Value normal = b.select(tiny, b.mul(x, b.c(0x1p54)), x);
  Value bits = b.bits(normal);
  Value e = b.sar(b.isub(bits, b.i(0x3fe6a09e667f3bcd)), 52);
  Value f = b.sub(b.fromBits(b.isub(bits, b.shl(e, 52))), b.c(1));
  Value exponent = b.toFloat(e);
  exponent = b.select(tiny, b.sub(exponent, b.c(54)), exponent);
  Value d = b.add(f, b.c(2));
  Value dLow = b.sub(f, b.sub(d, b.c(2)));
  Value quotient = b.div(f, d);
  auto [product, productLow] = b.exactProduct(quotient, d);
  Value rest = b.sub(b.sub(f, product), productLow);
  rest = b.sub(rest, b.mul(quotient, dLow));
  Pair s{quotient, b.div(rest, d)};
  Pair square = multiply(b, s, s);
  Pair cube = multiply(b, square, s);
  Pair third = multiply(
      b, cube, {b.c(0.66666666666666662966), b.c(3.7007434154171882626e-17)});
  // Taylor: s^2 < 0.0295, 1e-21 of the whole.
  Value z = square.high;
  Value p = b.polynomial(z, {2.0 / 5, 2.0 / 7, 2.0 / 9, 2.0 / 11, 2.0 / 13,
                             2.0 / 15, 2.0 / 17, 2.0 / 19, 2.0 / 21, 2.0 / 23});
  Value fifth = b.mul(b.mul(cube.high, z), p);
  Pair sum = sumOfOrdered(b, b.add(s.high, s.high),
                          {third.high, b.add(third.low, fifth)});
  sum.low = b.add(sum.low, b.add(s.low, s.low));
  Value whole = b.mul(exponent, b.c(ln2High));
  Pair value = sumOfOrdered(b, whole, sum);
  value.low = b.fma(exponent, b.c(ln2Low), value.low);
  // The low part so far is up to 1e-5 of the high one.
  return sumOfOrdered(b, value.high, {value.low, b.c(0)});
}

Value pow(FloatBuilder &b, Value x, Value y) {
  Value size = b.abs(x);
  Pair log = logPair(b, size);
  auto [high, low] = b.exactProduct(y, log.high);
  low = b.fma(y, log.low, low);
  Value power = exp(b, high);
  // Where the result is 0 or infinity the product may have lost its rest.
  Value inside =
      b.both(b.less(power, b.c(infinity)), b.greater(high, b.c(-800)));
  Value value = b.select(inside, b.fma(power, low, power), power);
  // The logarithm's own limits.
  Value trivial =
      b.either(b.equal(size, b.c(0)),
               b.either(b.isNan(size), b.equal(size, b.c(infinity))));
  Value limit = exp(b, b.mul(y, logLimits(b, size, size)));
  return powLimits(b, x, y, b.select(trivial, limit, value));
}

} // namespace heddle::float64
