// The functions that models spend their time in, for f32. Ranges are reduced
// after Cody and Waite (Software Manual for the Elementary Functions, 1980);
// the polynomials are our own, fitted by the Remez exchange for the least
// relative error of the result.

#include "passes/Kernel/Math/Functions.h"

#include <limits>

using namespace mlir;

namespace heddle::float32 {

/// ln 2 in two parts; the first has nine bits, so that n times it is exact.
static constexpr double ln2High = 0x1.63p-1;
static constexpr double ln2Low = -2.12194440054690583e-4;
static constexpr double log2e = 1.44269504088896341;
static constexpr double infinity = std::numeric_limits<double>::infinity();

/// exp(r) - 1 for |r| <= 0.36: r + r^2 p(r), p of degree 4, relative error of
/// exp 3.3e-9.
static Value expm1Reduced(FloatBuilder &b, Value r) {
  Value p = b.polynomial(r, {0.4999999403953552, 0.16666515171527863,
                             0.04166845604777336, 0.008369418792426586,
                             0.0013813178520649672});
  return b.fma(b.mul(r, r), p, r);
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

/// exp(x) - 1 for -20 <= x <= 88: 2^n (exp(r) - 1) + (2^n - 1).
static Value expm1Bounded(FloatBuilder &b, Value x) {
  Reduced reduced = reduce(b, x);
  Value power = b.power2(reduced.n);
  return b.fma(power, expm1Reduced(b, reduced.r), b.sub(power, b.c(1)));
}

Value expm1(FloatBuilder &b, Value x) {
  Value bounded = b.atLeast(b.atMost(x, b.c(88)), b.c(-20));
  Value value = expm1Bounded(b, bounded);
  // Above 88 the one no longer counts.
  value = b.select(b.greater(x, b.c(88)), exp(b, x), value);
  // A sum never gives -0.
  return b.select(b.equal(x, b.c(0)), x, value);
}

Value tanh(FloatBuilder &b, Value x) {
  // e = exp(2|x|) - 1: tanh = e / (e + 2), without cancellation anywhere. From
  // 9.01 on it rounds to 1.
  Value size = b.atMost(b.abs(x), b.c(10));
  Value e = expm1Bounded(b, b.add(size, size));
  return b.copySign(b.div(e, b.add(e, b.c(2))), x);
}

Value erf(FloatBuilder &b, Value x) {
  // Up to 1: x + x P(x^2), relative error 1.3e-9.
  Value square = b.mul(x, x);
  Value p = b.polynomial(square, {0.12837916612625122, -0.3761262595653534,
                                  0.1128358542919159, -0.026853810995817184,
                                  0.00518832728266716, -0.0008010189048945904,
                                  7.853843999328092e-05});
  Value small = b.fma(p, x, x);
  // Beyond: 1 - exp(-t Q(t)), relative error 3.9e-10; from 4 on it is 1.
  Value size = b.abs(x);
  Value t = b.atMost(size, b.c(4));
  Value q = b.polynomial(t, {1.1286942958831787, 0.6349694728851318,
                             0.10653092712163925, -0.024010125547647476,
                             0.0037575059104710817, -0.00035059975925832987,
                             1.396327388647478e-05});
  Value large = b.neg(expm1Bounded(b, b.neg(b.mul(t, q))));
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
