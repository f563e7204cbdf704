// Functions of CHLO beyond the elementary ones: error, gamma and Bessel
// functions. Series and expansions are summed in long double.

#include "ElementFunctions.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace heddle::reference;

static constexpr long double kPi = 3.141592653589793238462643383279502884L;

template <double (*F)(double)>
static ElementFunction real(const ElementSite &site) {
  if (site.operandClass() != ElementClass::Float)
    return {};
  return unary<double, double>([](double a) { return F(a); });
}
template <double (*F)(double, double)>
static ElementFunction real2(const ElementSite &site) {
  if (site.operandClass() != ElementClass::Float)
    return {};
  return binary<double, double>([](double a, double b) { return F(a, b); });
}

static double errorFunction(double x) { return std::erf(x); }
static double complementaryErrorFunction(double x) { return std::erfc(x); }

/// Newton's iteration on erf(y) = x, from an approximation of Winitzki's
/// (https://en.wikipedia.org/wiki/Error_function#Approximation) good to 0.002;
/// in the tails on erfc, where erf has lost the digits.
static double inverseErrorFunction(double x) {
  if (!(std::fabs(x) <= 1))
    return NAN;
  if (std::fabs(x) == 1)
    return std::copysign(INFINITY, x);
  if (x == 0)
    return x;
  long double a = 0.147L, size = std::fabs((long double)x);
  long double log = std::log1p(-size * size);
  long double middle = 2 / (kPi * a) + log / 2;
  long double y = std::sqrt(std::sqrt(middle * middle - log / a) - middle);
  for (int i = 0; i < 6; ++i) {
    long double error =
        size < 0.5L ? std::erf(y) - size : (1 - size) - std::erfc(y);
    // Halley's step: the second derivative of erf is -2y times the first.
    long double step = error * std::exp(y * y) * std::sqrt(kPi) / 2;
    y -= step / (1 + y * step);
  }
  return double(std::copysign(y, (long double)x));
}

static double logGamma(double x) {
  if (std::isinf(x))
    return INFINITY;
  int sign;
  return double(lgammal_r(x, &sign));
}

/// psi(x): reflection below 1/2, recurrence up to 20, then the asymptotic
/// series ln x - 1/2x - sum B_2k / (2k x^2k).
static double digamma(double x) {
  long double z = x, result = 0;
  if (std::isnan(x) || x == -INFINITY)
    return NAN;
  if (x == INFINITY)
    return INFINITY;
  if (x <= 0 && std::floor(x) == x)
    return NAN;
  if (z < 0.5L) {
    // pi cot(pi z), of the fraction only: z may be large.
    long double fraction = z - std::floor(z);
    result -= kPi / std::tan(kPi * fraction);
    z = 1 - z;
  }
  for (; z < 20; ++z)
    result -= 1 / z;
  static constexpr long double kSeries[] = {
      1.0L / 12,  -1.0L / 120,     1.0L / 252, -1.0L / 240,
      1.0L / 132, -691.0L / 32760, 1.0L / 12,  -3617.0L / 8160};
  long double power = 1 / (z * z), sum = 0;
  for (int i = 7; i >= 0; --i)
    sum = (sum + kSeries[i]) * power;
  return double(result + std::log(z) - 1 / (2 * z) - sum);
}

/// Hurwitz's zeta(s, q) = sum (q + k)^-s by Euler and Maclaurin: twelve terms,
/// then the integral and its corrections.
static double zeta(double s, double q) {
  if (std::isnan(s) || std::isnan(q) || s < 1)
    return NAN;
  if (s == 1)
    return INFINITY;
  if (q <= 0) {
    if (std::floor(q) == q)
      return INFINITY;
    if (std::floor(s) != s)
      return NAN;
  }
  // B_2k / (2k)!.
  static constexpr long double kBernoulli[] = {1.0L / 12,
                                               -1.0L / 720,
                                               1.0L / 30240,
                                               -1.0L / 1209600,
                                               1.0L / 47900160,
                                               -691.0L / 1307674368000.0L,
                                               1.0L / 74724249600.0L,
                                               -3617.0L / 10670622842880000.0L,
                                               43867.0L /
                                                   5109094217170944000.0L};
  long double a = q, exponent = s, sum = 0;
  int terms = q < 0 ? 12 + int(std::min(-std::floor(q), 1e6)) : 12;
  for (int i = 0; i < terms; ++i, ++a)
    sum += std::pow(a, -exponent);
  long double power = std::pow(a, -exponent);
  sum += a * power / (exponent - 1) + power / 2;
  long double factor = exponent, scale = power / a;
  for (long double coefficient : kBernoulli) {
    sum += coefficient * factor * scale;
    factor *= (exponent + 1) * (exponent + 2);
    exponent += 2;
    scale /= a * a;
  }
  return double(sum);
}

/// psi^(n)(x) = (-1)^(n+1) n! zeta(n + 1, x); psi itself for n = 0.
static double polygamma(double n, double x) {
  if (n == 0)
    return digamma(x);
  if (n < 0 || std::floor(n) != n)
    return NAN;
  long double value =
      std::tgamma((long double)n + 1) * (long double)zeta(n + 1, x);
  return double(std::fmod(n, 2) == 0 ? -value : value);
}

/// exp(-|x|) I_order(x): the power series while its terms, all positive, stay
/// few, beyond that Hankel's expansion.
static double besselScaled(double x, int order) {
  long double z = std::fabs((long double)x), result;
  if (std::isnan(x))
    return NAN;
  if (std::isinf(x))
    return 0;
  if (z < 50) {
    long double term = std::exp(-z) * (order ? z / 2 : 1), sum = term;
    for (int k = 1; k < 400 && term > sum * 1e-22L; ++k) {
      term *= z * z / 4 / ((long double)k * (k + order));
      sum += term;
    }
    result = sum;
  } else {
    long double mu = 4.0L * order * order, term = 1, sum = 1;
    for (int k = 1; k < 30; ++k) {
      term *= -(mu - (2.0L * k - 1) * (2 * k - 1)) / (k * 8 * z);
      sum += term;
    }
    result = sum / std::sqrt(2 * kPi * z);
  }
  return double(order % 2 && x < 0 ? -result : result);
}
static double besselI1e(double x) { return besselScaled(x, 1); }

/// The neighbour of the first operand towards the second, in their own type.
static ElementFunction nextAfter(const ElementSite &site) {
  ElementKind kind = site.operands.front();
  if (site.operandClass() != ElementClass::Float)
    return {};
  return binary<double, double>([kind](double from, double to) {
    if (std::isnan(from) || std::isnan(to))
      return double(NAN);
    if (from == to)
      return to;
    uint64_t sign = uint64_t(1) << (bitWidth(kind) - 1);
    if (from == 0)
      return bitsToFloat(kind, to < 0 ? sign | 1 : 1);
    uint64_t bits = floatToBits(kind, from);
    bool away = (from < to) == (from > 0);
    return bitsToFloat(kind, away ? bits + 1 : bits - 1);
  });
}

void reference::addSpecialFunctions(ElementRules &rules) {
  for (const char *name : {"chlo.erf", "math.erf"})
    rules[name] = real<errorFunction>;
  for (const char *name : {"chlo.erfc", "math.erfc"})
    rules[name] = real<complementaryErrorFunction>;
  rules["chlo.erf_inv"] = real<inverseErrorFunction>;
  rules["chlo.lgamma"] = real<logGamma>;
  rules["chlo.digamma"] = real<digamma>;
  rules["chlo.bessel_i1e"] = real<besselI1e>;
  rules["chlo.zeta"] = real2<zeta>;
  rules["chlo.polygamma"] = real2<polygamma>;
  rules["chlo.next_after"] = nextAfter;
}
