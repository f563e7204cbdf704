// Elementary functions.
//
// Types up to f32 are computed in double and rounded once, which is correctly
// rounded but for rare ties; f64 is the C library's (below 1 ULP). Complex
// functions are computed in long double, so that the cancellation inside them
// stays below double's last bit.

#include "ElementFunctions.h"

#include <cmath>

using namespace heddle;
using namespace heddle::reference;

using Wide = std::complex<long double>;

static Complex narrow(Wide value) {
  return Complex(double(value.real()), double(value.imag()));
}

/// A rule for a function of one real or complex element.
template <double (*Real)(double), Wide (*OfComplex)(Wide)>
static ElementFunction realOrComplex(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Float)
    return unary<double, double>([](double a) { return Real(a); });
  if (site.operandClass() == ElementClass::Complex)
    return unary<Complex, Complex>(
        [](Complex a) { return narrow(OfComplex(Wide(a))); });
  return {};
}

//===--- Real -------------------------------------------------------------===//

static double cubeRoot(double a) { return std::cbrt(a); }
static double cosine(double a) { return std::cos(a); }
static double exponential(double a) { return std::exp(a); }
static double exponentialMinusOne(double a) { return std::expm1(a); }
static double logarithm(double a) { return std::log(a); }
static double logOfOnePlus(double a) { return std::log1p(a); }
static double logistic(double a) {
  return double(1 / (1 + std::exp(-(long double)a)));
}
static double reciprocalRoot(double a) {
  return double(1 / std::sqrt((long double)a));
}
static double sine(double a) { return std::sin(a); }
static double squareRoot(double a) { return std::sqrt(a); }
static double tangent(double a) { return std::tan(a); }
static double tanhReal(double a) { return std::tanh(a); }
static double sinhReal(double a) { return std::sinh(a); }
static double coshReal(double a) { return std::cosh(a); }
static double asinReal(double a) { return std::asin(a); }
static double acosReal(double a) { return std::acos(a); }
static double atanReal(double a) { return std::atan(a); }
static double asinhReal(double a) { return std::asinh(a); }
static double acoshReal(double a) { return std::acosh(a); }
static double atanhReal(double a) { return std::atanh(a); }

//===--- Complex ----------------------------------------------------------===//

static Wide cosineOf(Wide z) { return std::cos(z); }
static Wide sineOf(Wide z) { return std::sin(z); }
static Wide tangentOf(Wide z) { return std::tan(z); }
static Wide tanhOf(Wide z) { return std::tanh(z); }
static Wide sinhOf(Wide z) { return std::sinh(z); }
static Wide coshOf(Wide z) { return std::cosh(z); }
static Wide asinOf(Wide z) { return std::asin(z); }
static Wide acosOf(Wide z) { return std::acos(z); }
static Wide atanOf(Wide z) { return std::atan(z); }
static Wide asinhOf(Wide z) { return std::asinh(z); }
static Wide acoshOf(Wide z) { return std::acosh(z); }
static Wide atanhOf(Wide z) { return std::atanh(z); }
static Wide expOf(Wide z) { return std::exp(z); }
static Wide logOf(Wide z) { return std::log(z); }
static Wide sqrtOf(Wide z) { return std::sqrt(z); }
static Wide rsqrtOf(Wide z) { return Wide(1) / std::sqrt(z); }
static Wide logisticOf(Wide z) { return Wide(1) / (Wide(1) + std::exp(-z)); }
static Wide cbrtOf(Wide z) {
  return z == Wide(0) ? z : std::pow(z, 1.0L / 3.0L);
}

/// exp(z) - 1 without cancellation near 0:
/// e^x cos y - 1 = (e^x - 1) cos y + (cos y - 1), and cos y - 1 = -2 sin²(y/2).
static Wide expm1Of(Wide z) {
  long double x = z.real(), y = z.imag(), half = std::sin(y / 2);
  if (y == 0)
    return Wide(std::expm1(x), y);
  return Wide(std::expm1(x) * std::cos(y) - 2 * half * half,
              std::exp(x) * std::sin(y));
}

/// log(1 + z): |1 + z|² - 1 = x (2 + x) + y².
static Wide log1pOf(Wide z) {
  long double x = z.real(), y = z.imag();
  long double real;
  if (std::fabs(x) < 0.5L && std::fabs(y) < 0.5L)
    real = 0.5L * std::log1p(x * (2 + x) + y * y);
  else
    real = std::log(std::hypot(1 + x, y));
  return Wide(real, std::atan2(y, 1 + x));
}

//===--- Two operands -----------------------------------------------------===//

/// Angle of the point (x, y); for complex numbers by its definition
/// -i log((x + i y) / sqrt(x² + y²)).
static ElementFunction angle(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Float)
    return binary<double, double>(
        [](double y, double x) { return std::atan2(y, x); });
  if (site.operandClass() != ElementClass::Complex)
    return {};
  return binary<Complex, Complex>([](Complex first, Complex second) {
    Wide y(first), x(second), i(0, 1);
    return narrow(-i * std::log((x + i * y) / std::sqrt(x * x + y * y)));
  });
}

/// Integer powers wrap; a negative exponent leaves 1 and -1, and makes 0 of the
/// rest.
template <typename T> static T integerPower(T base, T exponent) {
  if (exponent < T(0)) {
    if (base == T(1))
      return 1;
    if (base == T(-1))
      return exponent % 2 ? T(-1) : T(1);
    return 0;
  }
  uint64_t result = 1, square = base;
  for (uint64_t bits = exponent; bits; bits >>= 1, square *= square)
    if (bits & 1)
      result *= square;
  return T(result);
}

static Complex complexPower(Complex base, Complex exponent) {
  if (exponent == Complex(0))
    return Complex(1);
  if (base == Complex(0))
    return exponent.real() > 0 ? Complex(0) : Complex(NAN, NAN);
  return narrow(std::pow(Wide(base), Wide(exponent)));
}

static ElementFunction power(const ElementSite &site) {
  switch (site.operandClass()) {
  case ElementClass::Signed:
    return binary<int64_t, int64_t>(integerPower<int64_t>);
  case ElementClass::Unsigned:
    return binary<uint64_t, uint64_t>(integerPower<uint64_t>);
  case ElementClass::Float:
    return binary<double, double>(
        [](double a, double b) { return std::pow(a, b); });
  case ElementClass::Complex:
    return binary<Complex, Complex>(complexPower);
  case ElementClass::Boolean:
    break;
  }
  return {};
}

void reference::addMathFunctions(ElementRules &rules) {
  auto both = [&](std::initializer_list<const char *> names, ElementRule rule) {
    for (const char *name : names)
      rules[name] = rule;
  };
  both({"stablehlo.cbrt", "math.cbrt"}, realOrComplex<cubeRoot, cbrtOf>);
  both({"stablehlo.cosine", "math.cos"}, realOrComplex<cosine, cosineOf>);
  both({"stablehlo.exponential", "math.exp"},
       realOrComplex<exponential, expOf>);
  both({"stablehlo.exponential_minus_one", "math.expm1"},
       realOrComplex<exponentialMinusOne, expm1Of>);
  both({"stablehlo.log", "math.log"}, realOrComplex<logarithm, logOf>);
  both({"stablehlo.log_plus_one", "math.log1p"},
       realOrComplex<logOfOnePlus, log1pOf>);
  both({"stablehlo.logistic"}, realOrComplex<logistic, logisticOf>);
  both({"stablehlo.rsqrt", "math.rsqrt"},
       realOrComplex<reciprocalRoot, rsqrtOf>);
  both({"stablehlo.sine", "math.sin"}, realOrComplex<sine, sineOf>);
  both({"stablehlo.sqrt", "math.sqrt"}, realOrComplex<squareRoot, sqrtOf>);
  both({"stablehlo.tan", "chlo.tan", "math.tan"},
       realOrComplex<tangent, tangentOf>);
  both({"stablehlo.tanh", "math.tanh"}, realOrComplex<tanhReal, tanhOf>);
  both({"chlo.sinh", "math.sinh"}, realOrComplex<sinhReal, sinhOf>);
  both({"chlo.cosh", "math.cosh"}, realOrComplex<coshReal, coshOf>);
  both({"chlo.asin", "math.asin"}, realOrComplex<asinReal, asinOf>);
  both({"chlo.acos", "math.acos"}, realOrComplex<acosReal, acosOf>);
  both({"chlo.atan", "math.atan"}, realOrComplex<atanReal, atanOf>);
  both({"chlo.asinh", "math.asinh"}, realOrComplex<asinhReal, asinhOf>);
  both({"chlo.acosh", "math.acosh"}, realOrComplex<acoshReal, acoshOf>);
  both({"chlo.atanh", "math.atanh"}, realOrComplex<atanhReal, atanhOf>);
  both({"stablehlo.atan2", "math.atan2"}, angle);
  both({"stablehlo.power", "math.powf"}, power);
}
