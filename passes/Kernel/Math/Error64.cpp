// erf and erfc for f64. The polynomials are our own fits by the Remez exchange
// or in Chebyshev polynomials; errors are relative.

#include "passes/Kernel/Math/Exponential64.h"
#include "passes/Kernel/Math/Functions.h"

using namespace mlir;

namespace heddle::float64 {

/// erf for |x| <= 1: x + x P(x^2), 1.3e-19.
static Pair erfSmall(FloatBuilder &b, Value x) {
  Value p = b.polynomial(
      b.mul(x, x),
      {0.1283791670955126, -0.3761263890318375, 0.11283791670954857,
       -0.026866170645072893, 0.005223977624780835, -0.0008548326978740568,
       0.00012055331036846668, -1.4925593505766362e-05, 1.646097280119071e-06,
       -1.6350025076223805e-07, 1.4657878989888398e-08, -1.1365663136626756e-09,
       5.945257693938778e-11});
  return orderedSum(b, x, b.mul(p, x));
}

/// erfc for x >= 0.46: t exp(-x^2 + P(t - 7/16)) with t = 2 / (2 + x), the form
/// of Numerical Recipes (3rd edition, 6.2.2); our fit, 3e-17.
static Value erfcPositive(FloatBuilder &b, Value x) {
  x = b.atMost(x, b.c(28));
  Pair t = divide(b, {b.c(2), {}}, exactSum(b, b.c(2), x));
  Pair v = exactSum(b, t.high, b.c(-0.4375));
  if (t.low)
    v = addLow(b, v, t.low);
  Value p = b.polynomial(
      v.high,
      {1.317393369534841,    0.25535660549589345,  -0.32534922143586403,
       -0.2371328506220079,  0.21674008062071712,  0.23263252407996388,
       -0.23221304354657102, -0.2321480549111826,  0.3162695301233602,
       0.1993991159646716,   -0.45560487099593044, -0.07778069396614003,
       0.6077576302687295,   -0.19466552489644282, -0.6566240824161426,
       0.6179025034805733,   0.41794188376607716,  -1.0149595657396608,
       0.19786916133598442,  1.0167427921914662,   -0.8414382247568625,
       -0.44575103563472895, 0.7429978205549674,   -0.10574252599187271});
  // One exponential, of the sum's high part and what it lacks.
  Pair value = multiply(b, v, {p, {}});
  value = add(b, value, {b.c(-0.7550458267214988), b.c(1.813127174961752e-17)});
  Pair square = exactProduct(b, x, x);
  value = add(b, negate(b, square), value);
  ScaledPair power = expPair(b, value);
  return evaluate(b, {multiply(b, t, power.value), power.exponent});
}

Value erf(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value large = b.copySign(b.sub(b.c(1), erfcPositive(b, size)), x);
  return b.select(b.greater(size, b.c(1)), large, evaluate(b, erfSmall(b, x)));
}

Value erfc(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value value = erfcPositive(b, size);
  value = b.select(b.less(x, b.c(0)), b.sub(b.c(2), value), value);
  Pair small = add(b, {b.c(1), {}}, negate(b, erfSmall(b, x)));
  return b.select(b.less(size, b.c(0.5)), evaluate(b, small), value);
}

} // namespace heddle::float64
