// Logarithms and inverse hyperbolic functions for f64. Compensated forms of log
// after fdlibm's e_log.c (Sun Microsystems, 1993).

#include "passes/Kernel/Math/Functions.h"
#include "passes/Math/Pair.h"

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

/// log(1 + x).
static Value log1pOf(FloatBuilder &b, Pair x) {
  Pair u = exactSum(b, x.high, b.c(1));
  if (x.low)
    u = addLow(b, u, x.low);
  if (!u.low)
    // What the sum lost, seen from the larger operand.
    u.low = b.select(b.greater(x.high, b.c(1)),
                     b.sub(b.c(1), b.sub(u.high, x.high)),
                     b.sub(x.high, b.sub(u.high, b.c(1))));
  auto [e, y] = logParts(b, u.high, u.low);
  Value value = b.fma(e, b.c(ln2Low), y);
  return logLimits(b, u.high, b.fma(e, b.c(ln2High), value));
}

Value log1p(FloatBuilder &b, Value x) {
  return b.select(b.equal(x, b.c(0)), x, log1pOf(b, {x, {}}));
}

Value asinh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value bounded = b.atMost(size, b.c(0x1p29));
  Pair one{b.c(1), {}};
  Pair square = exactProduct(b, bounded, bounded);
  Pair next = add(b, root(b, add(b, square, one)), one);
  Pair inner = add(b, {bounded, {}}, divide(b, square, next));
  Value value = b.select(b.greater(size, b.c(0x1p28)),
                         b.add(log(b, size), b.c(ln2)), log1pOf(b, inner));
  return b.copySign(value, x);
}

Value acosh(FloatBuilder &b, Value x) {
  Value t = b.sub(b.atMost(x, b.c(0x1p29)), b.c(1));
  Pair square = add(b, exactProduct(b, t, t), {b.add(t, t), {}});
  Pair inner = add(b, {t, {}}, root(b, square));
  Value value = b.select(b.greater(x, b.c(0x1p28)), b.add(log(b, x), b.c(ln2)),
                         log1pOf(b, inner));
  return b.select(b.less(x, b.c(1)), b.c(nan), value);
}

Value atanh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Pair inner =
      divide(b, {b.add(size, size), {}}, exactSum(b, b.c(1), b.neg(size)));
  // At 1 only the infinity counts.
  if (inner.low)
    inner.low = b.select(b.equal(size, b.c(1)), b.c(0), inner.low);
  Value value = b.mul(b.c(0.5), log1pOf(b, inner));
  return b.copySign(value, x);
}

} // namespace heddle::float64
