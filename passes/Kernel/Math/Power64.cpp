// Powers and cube roots for f64.

#include "passes/Kernel/Math/Exponential64.h"
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
  // Beyond 2^80 the result is 0, 1 or infinity.
  Value factor = b.atLeast(b.atMost(y, b.c(0x1p80)), b.c(-0x1p80));
  auto [high, low] = b.exactProduct(factor, log.high);
  low = b.fma(factor, log.low, low);
  // Where the result is 0 or infinity the product may have lost its rest.
  Value large = b.greater(high, b.c(711)), small = b.less(high, b.c(-746));
  low = b.select(b.either(large, small), b.c(0), low);
  Value bounded = b.select(large, b.c(711), b.select(small, b.c(-746), high));
  Value value = evaluate(b, expPair(b, {bounded, low}));
  // The logarithm's own limits.
  Value zero = b.equal(size, b.c(0));
  Value trivial =
      b.either(zero, b.either(b.isNan(size), b.equal(size, b.c(infinity))));
  Value limit = exp(b, b.mul(y, b.select(zero, b.c(-infinity), size)));
  return powLimits(b, x, y, b.select(trivial, limit, value));
}

} // namespace heddle::float64
