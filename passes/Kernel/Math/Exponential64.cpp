// exp, the hyperbolic functions and their like for f64. Each is computed with
// some ten digits to spare and rounded in the end.

#include "passes/Kernel/Math/Exponential64.h"
#include "passes/Kernel/Math/Functions.h"

using namespace mlir;

namespace heddle::float64 {

/// ln 2 in two parts; the first has 33 bits, so that n times it is exact.
static constexpr double ln2High = 6.93147180369123816490e-01;
static constexpr double ln2Low = 1.90821492927058770002e-10;
static constexpr double ln2 = 0.69314718055994530942;
static constexpr double log2e = 1.44269504088896340736;

/// exp(r) - 1 for |r| <= 0.35, by Taylor's series: 4e-18.
static Pair expm1Reduced(FloatBuilder &b, Pair r) {
  static constexpr double factorials[] = {
      1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
      1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
      1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  Value x = r.high;
  if (!b.compensates)
    return {b.fma(b.mul(x, x), b.polynomial(x, factorials), x), {}};
  // The first two terms exactly.
  Pair square = exactProduct(b, x, x);
  Pair value = orderedSum(b, x, b.mul(square.high, b.c(0.5)));
  Value beyond = b.polynomial(x, ArrayRef<double>(factorials).drop_front());
  beyond = b.fma(b.mul(square.high, x), beyond, b.mul(square.low, b.c(0.5)));
  // The derivative is exp(r).
  if (r.low)
    beyond = b.add(beyond, b.fma(b.add(value.high, beyond), r.low, r.low));
  return orderedSum(b, value.high, b.add(value.low, beyond));
}

/// x = n ln2 + r.
static std::pair<Pair, Value> reduce(FloatBuilder &b, Pair x) {
  auto [whole, n] = b.nearest(x.high, log2e);
  Value exact = b.fma(whole, b.c(-ln2High), x.high);
  if (!b.compensates)
    return {{b.fma(whole, b.c(-ln2Low), exact), {}}, n};
  Pair r = exactSum(b, exact, b.mul(whole, b.c(-ln2Low)));
  return {x.low ? addLow(b, r, x.low) : r, n};
}

/// value * 2^n, in two steps, of which only the last can round or overflow.
static Value scale(FloatBuilder &b, Value value, Value n) {
  Value half = b.sar(n, 1);
  value = b.mul(value, b.power2(half));
  return b.mul(value, b.power2(b.isub(n, half)));
}

ScaledPair expPair(FloatBuilder &b, Pair x) {
  auto [r, n] = reduce(b, x);
  Pair less = expm1Reduced(b, r);
  return {addLow(b, orderedSum(b, b.c(1), less.high), less.low), n};
}

Value evaluate(FloatBuilder &b, ScaledPair x) {
  return scale(b, evaluate(b, x.value), x.exponent);
}

/// exp(x) 2^shift.
static Value scaledExp(FloatBuilder &b, Value x, int64_t shift) {
  ScaledPair value =
      expPair(b, {b.atLeast(b.atMost(x, b.c(711)), b.c(-746)), {}});
  if (shift != 0)
    value.exponent = b.iadd(value.exponent, b.i(shift));
  return evaluate(b, value);
}

Value exp(FloatBuilder &b, Value x) { return scaledExp(b, x, 0); }

Value exp2(FloatBuilder &b, Value x) {
  x = b.atLeast(b.atMost(x, b.c(1025)), b.c(-1080));
  auto [whole, n] = b.nearest(x, 1);
  Value fraction = b.sub(x, whole);
  Pair r =
      multiply(b, {fraction, {}}, {b.c(ln2), b.c(2.319046813846299558e-17)});
  Pair less = expm1Reduced(b, r);
  Pair value = addLow(b, orderedSum(b, b.c(1), less.high), less.low);
  return scale(b, evaluate(b, value), n);
}

/// exp(x) - 1 for -40 <= x <= 709: 2^n (exp(r) - 1) + (2^n - 1).
static Pair expm1Pair(FloatBuilder &b, Value x) {
  auto [r, n] = reduce(b, {x, {}});
  Value power = b.power2(n);
  Pair less = expm1Reduced(b, r);
  if (!b.compensates)
    return {b.fma(power, less.high, b.sub(power, b.c(1))), {}};
  // Of 2^n - 1 the smaller may be lost.
  Pair whole = exactSum(b, power, b.c(-1));
  Pair value = orderedSum(b, whole.high, b.mul(power, less.high));
  return addLow(b, value, b.fma(power, less.low, whole.low));
}

Value expm1(FloatBuilder &b, Value x) {
  Value bounded = b.atLeast(b.atMost(x, b.c(709)), b.c(-40));
  Value value = evaluate(b, expm1Pair(b, bounded));
  value = b.select(b.greater(x, b.c(709)), exp(b, x), value);
  return b.select(b.equal(x, b.c(0)), x, value);
}

Value tanh(FloatBuilder &b, Value x) {
  // With e = exp(2|x|) - 1: e / (e + 2).
  Value size = b.atMost(b.abs(x), b.c(20));
  Pair e = expm1Pair(b, b.add(size, size));
  Value value = evaluate(b, divide(b, e, add(b, e, {b.c(2), {}})));
  return b.copySign(value, x);
}

Value sinh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Pair e = expm1Pair(b, b.atMost(size, b.c(41)));
  Pair twice = add(b, e, divide(b, e, add(b, {b.c(1), {}}, e)));
  Value value = b.mul(b.c(0.5), evaluate(b, twice));
  value = b.select(b.greater(size, b.c(40)), scaledExp(b, size, -1), value);
  return b.copySign(value, x);
}

Value cosh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  ScaledPair e = expPair(b, {b.atMost(size, b.c(41)), {}});
  Value power = b.power2(e.exponent);
  Pair scaled{b.mul(e.value.high, power),
              e.value.low ? b.mul(e.value.low, power) : Value()};
  Pair twice = add(b, scaled, divide(b, {b.c(1), {}}, scaled));
  Value value = b.mul(b.c(0.5), evaluate(b, twice));
  return b.select(b.greater(size, b.c(40)), scaledExp(b, size, -1), value);
}

} // namespace heddle::float64
