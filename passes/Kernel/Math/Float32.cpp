// The functions that models spend their time in, for f32. Ranges are reduced
// after Cody and Waite (Software Manual for the Elementary Functions, 1980);
// the polynomials are our own, fitted by the Remez exchange for the least
// relative error of the result.

#include "passes/Kernel/Math/Functions.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::float32 {

/// ln 2 in two parts; the first has nine bits, so that n times it is exact.
static constexpr double ln2High = 0x1.63p-1;
static constexpr double ln2Low = -2.12194440054690583e-4;
static constexpr double log2e = 1.44269504088896341;
static constexpr double infinity = std::numeric_limits<double>::infinity();

/// exp(r) - 1 for |r| <= 0.36: r + r^2 p(r), relative error of exp 3.3e-9.
static constexpr double expm1Coefficients[] = {
    0.4999999403953552, 0.16666515171527863, 0.04166845604777336,
    0.008369418792426586, 0.0013813178520649672};
static Value expm1Reduced(FloatBuilder &b, Value r) {
  return b.fma(b.mul(r, r), b.polynomial(r, expm1Coefficients), r);
}

/// x = n ln2 + r.
struct Reduced {
  Value r, n;
};
static Reduced reduce(FloatBuilder &b, Value x) {
  auto [whole, n] = b.nearest(x, log2e);
  Value r = b.fma(whole, b.c(-ln2High), x);
  return {b.fma(whole, b.c(-ln2Low), r), n};
}

/// value * 2^n, for n down to -250 and up to 250: in two steps, of which only
/// the last can round or overflow.
static Value scale(FloatBuilder &b, Value value, Value n) {
  Value half = b.sar(n, 1);
  value = b.mul(value, b.power2(half));
  return b.mul(value, b.power2(b.isub(n, half)));
}

/// `value`, but 0 where x is below `least`. Scaling down to 0 instead would
/// raise an underflow, which takes a processor some hundred cycles, and masked
/// scores of attention are full of them.
static Value orZero(FloatBuilder &b, Value value, Value x, double least) {
  return b.select(b.less(x, b.c(least)), b.c(0), value);
}

Value exp(FloatBuilder &b, Value x) {
  // Outside of these the result is 0 or infinity in any case.
  Value bounded = b.atLeast(b.atMost(x, b.c(89)), b.c(-105));
  Reduced reduced = reduce(b, bounded);
  Value value = b.add(expm1Reduced(b, reduced.r), b.c(1));
  return scale(b, orZero(b, value, x, -104), reduced.n);
}

Value exp2(FloatBuilder &b, Value x) {
  Value bounded = b.atLeast(b.atMost(x, b.c(129)), b.c(-151));
  auto [whole, n] = b.nearest(bounded, 1);
  Value r = b.mul(b.sub(bounded, whole), b.c(0.69314718055994531));
  Value value = b.add(expm1Reduced(b, r), b.c(1));
  return scale(b, orZero(b, value, x, -150), n);
}

Value expm1(FloatBuilder &b, Value x) {
  // Half of it, 2^(n-1) (exp(t + low) - 1) + (2^(n-1) - 1/2), cannot overflow
  // before its time. Steps whose rounding would show are pairs.
  Value bounded = b.atLeast(b.atMost(x, b.c(89)), b.c(-20));
  auto [whole, power] = b.nearestPower(bounded, log2e, /*shift=*/-1);
  Value t = b.fma(whole, b.c(-ln2High), bounded);
  Value low = b.mul(whole, b.c(-ln2Low));
  Value r = b.add(t, low);
  // One term more than exp needs: around r = -ln2/2 the sum is small.
  Value p = b.polynomial(r, {0.5, 0.1666666567325592, 0.041666459292173386,
                             0.008333567529916763, 0.001393548445776105,
                             0.00019743219309020787});
  Value rest = b.fma(b.mul(r, r), p, low);
  Value less = b.sub(power, b.c(0.5));
  Value lost = b.sub(b.sub(power, less), b.c(0.5));
  Value high = b.fma(power, t, less);
  lost = b.add(b.fma(power, t, b.sub(less, high)), lost);
  Value half = b.add(high, b.fma(power, rest, lost));
  // Also -0 and what has no half.
  Value tiny = b.less(b.abs(x), b.c(0x1p-26));
  return b.select(tiny, x, b.add(half, half));
}

Value tanh(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  // Up to 0.9: x + x^3 P(x^2), relative error 1.1e-9.
  Value square = b.mul(x, x);
  Value p = b.polynomial(square, {-0.33333322405815125, 0.13332980871200562,
                                  -0.05392947420477867, 0.02166409231722355,
                                  -0.008265454322099686, 0.002583423163741827,
                                  -0.00045570809743367136});
  Value small = b.fma(b.mul(x, square), p, x);
  // Beyond: 1 - 1 / ((exp(2|x|) + 1) / 2), of which 1 is left from 9.01 on. As
  // 2^n m + (2^n + 1) / 2 the denominator is rounded once.
  Value bounded = b.atMost(size, b.c(10));
  auto [whole, power] = b.nearestPower(bounded, 2 * log2e);
  // Half of ln 2 with 24 bits lacks 1e-9.
  Value r = b.fma(whole, b.c(-0x1.62e43p-2), bounded);
  // exp(2r) - 1 = 2 (r + r^2 q(r)).
  SmallVector<double> q;
  for (auto [k, coefficient] : llvm::enumerate(expm1Coefficients))
    q.push_back(std::ldexp(coefficient, k + 1));
  Value m = b.fma(b.mul(r, r), b.polynomial(r, q), r);
  Value sum = b.fma(power, m, b.fma(power, b.c(0.5), b.c(0.5)));
  Value large = b.sub(b.c(1), b.div(b.c(1), sum));
  return b.select(b.less(size, b.c(0.9)), small, b.copySign(large, x));
}

Value logistic(FloatBuilder &b, Value x) {
  // 1 / (1 + exp(-x)), with numerator and denominator times 2^-30, so that the
  // exponential does not overflow before the quotient vanishes.
  Value bounded = b.atLeast(b.atMost(b.neg(x), b.c(104)), b.c(-18));
  auto [whole, power] = b.nearestPower(bounded, log2e, /*shift=*/-30);
  Value r = b.fma(whole, b.c(-ln2High), bounded);
  Value less = expm1Reduced(b, b.fma(whole, b.c(-ln2Low), r));
  Value one = b.c(0x1p-30);
  Value sum = b.fma(power, less, b.add(power, one));
  Value quotient = b.div(b.c(1), sum);
  // What the sum lacks, and the quotient where one operation tells.
  Value low = b.fma(power, less, b.add(b.sub(power, sum), one));
  Value rest = b.mul(quotient, b.neg(low));
  if (b.hasFma)
    rest = b.fma(b.neg(quotient), low, b.fma(b.neg(quotient), sum, b.c(1)));
  quotient = b.fma(quotient, rest, quotient);
  return orZero(b, b.mul(quotient, one), x, -104);
}

Value erf(FloatBuilder &b, Value x) {
  // Up to 1: x + x P(x^2 - 3/4), relative error 1.7e-9. There, where P's terms
  // are as large as the result, the argument is small.
  Value p = b.polynomial(b.fma(x, x, b.c(-0.75)),
                         {-0.100108802318573, -0.24458840489387512,
                          0.06691887229681015, -0.01513174269348383,
                          0.0028468191158026457, -0.00044898572377860546,
                          7.751739758532494e-05});
  Value small = b.fma(p, x, x);
  // Beyond: 1 - exp(-t Q(t)), relative error 2.5e-9; from 4 on it is 1.
  Value size = b.abs(x);
  Value t = b.atMost(size, b.c(4));
  Value q = b.polynomial(t, {1.128480076789856, 0.635831356048584,
                             0.10511629283428192, -0.022798558697104454,
                             0.003186976769939065, -0.00021064704924356192});
  Value product = b.mul(t, q);
  auto [whole, power] = b.nearestPower(product, -log2e);
  Value r = b.neg(b.fma(whole, b.c(0x1.62e43p-1), product));
  if (b.hasFma)
    r = b.sub(r, b.fma(t, q, b.neg(product)));
  Value large = b.fma(b.neg(power), expm1Reduced(b, r), b.sub(b.c(1), power));
  return b.select(b.greater(size, b.c(1)), b.copySign(large, x), small);
}

Value log(FloatBuilder &b, Value x) {
  // Subnormals are brought up by 2^23.
  Value tiny = b.less(x, b.c(std::numeric_limits<float>::min()));
  Value normal = b.select(tiny, b.mul(x, b.c(0x1p23)), x);
  // normal = 2^e (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2).
  Value bits = b.bits(normal);
  Value e = b.sar(b.isub(bits, b.i(0x3f3504f3)), 23);
  Value f = b.sub(b.fromBits(b.isub(bits, b.shl(e, 23))), b.c(1));
  Value exponent = b.toFloat(e);
  exponent = b.select(tiny, b.sub(exponent, b.c(23)), exponent);
  // log(1 + f) = f - f^2 / 2 + f^3 P(f), relative error 7.5e-10.
  Value p = b.polynomial(
      f, {0.3333331346511841, -0.25000008940696716, 0.2000211924314499,
          -0.1666799634695053, 0.14219553768634796, -0.1240558996796608,
          0.11888153105974197, -0.11675631254911423, 0.06746625900268555});
  Value square = b.mul(f, f);
  Value tail = b.mul(b.mul(square, f), p);
  tail = b.fma(exponent, b.c(ln2Low), tail);
  tail = b.fma(square, b.c(-0.5), tail);
  Value value = b.fma(exponent, b.c(ln2High), b.add(f, tail));
  // 0, infinity, negative.
  value = b.select(b.equal(x, b.c(0)), b.c(-infinity), value);
  value = b.select(b.less(x, b.c(infinity)), value, x);
  return b.select(b.less(x, b.c(0)),
                  b.c(std::numeric_limits<double>::quiet_NaN()), value);
}

} // namespace heddle::float32
