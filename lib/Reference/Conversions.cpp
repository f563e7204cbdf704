// Conversions between element types, and rounding within one.

#include "ElementFunctions.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace heddle;
using namespace heddle::reference;

/// An integer as a double from which rounding on to a narrower type is exact:
/// an inexact double gets an odd last bit.
template <typename T> static double toDouble(T value, bool narrower) {
  double result = double(value);
  if (!narrower || (value < (T(1) << 53) && value > T(0) - (T(1) << 53)))
    return result;
  // 2^63 and 2^64 themselves do not fit T; they are larger than any value.
  long double exact = value;
  if ((long double)result == exact)
    return result;
  uint64_t bits = floatToBits(ElementKind::F64, result);
  if (bits & 1)
    return result;
  bool grew = std::fabs((long double)result) > std::fabs(exact);
  return bitsToFloat(ElementKind::F64, grew ? bits - 1 : bits + 1);
}

double reference::integerAsDouble(int64_t value, bool narrower) {
  return toDouble(value, narrower);
}
double reference::integerAsDouble(uint64_t value, bool narrower) {
  return toDouble(value, narrower);
}

/// Towards zero; NaN becomes 0 and what does not fit the nearest limit, which
/// the specification leaves open.
static int64_t toSigned(double value, unsigned width) {
  if (std::isnan(value))
    return 0;
  double limit = std::ldexp(1.0, width - 1);
  if (value >= limit)
    return llvm::maxIntN(width);
  if (value < -limit)
    return llvm::minIntN(width);
  return int64_t(value);
}
static uint64_t toUnsigned(double value, unsigned width) {
  if (!(value > -1))
    return 0;
  if (value >= std::ldexp(1.0, width))
    return llvm::maskTrailingOnes<uint64_t>(width);
  return uint64_t(value);
}

template <typename In>
static ElementFunction convertInteger(ElementKind result) {
  bool narrower = result != ElementKind::F64 && result != ElementKind::C128;
  switch (elementClass(result)) {
  case ElementClass::Boolean:
    return unary<In, uint64_t>([](In a) { return uint64_t(a != 0); });
  case ElementClass::Signed:
  case ElementClass::Unsigned:
    return unary<In, uint64_t>([](In a) { return uint64_t(a); });
  case ElementClass::Float:
    return unary<In, double>([=](In a) { return toDouble(a, narrower); });
  case ElementClass::Complex:
    return unary<In, Complex>(
        [=](In a) { return Complex(toDouble(a, narrower), 0); });
  }
  return {};
}

static double real(double value) { return value; }
static double real(Complex value) { return value.real(); }

template <typename In> static ElementFunction convertReal(ElementKind result) {
  unsigned width = bitWidth(result);
  switch (elementClass(result)) {
  case ElementClass::Boolean:
    return unary<In, uint64_t>([](In a) { return uint64_t(a != In(0)); });
  case ElementClass::Signed:
    return unary<In, int64_t>(
        [width](In a) { return toSigned(real(a), width); });
  case ElementClass::Unsigned:
    return unary<In, uint64_t>(
        [width](In a) { return toUnsigned(real(a), width); });
  case ElementClass::Float:
    return unary<In, double>([](In a) { return real(a); });
  case ElementClass::Complex:
    return unary<In, Complex>([](In a) { return Complex(a); });
  }
  return {};
}

static ElementFunction convert(const ElementSite &site) {
  if (site.operands.front() == site.result)
    return [](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
      out.move(*in[0], count);
    };
  switch (site.operandClass()) {
  case ElementClass::Signed:
    return convertInteger<int64_t>(site.result);
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return convertInteger<uint64_t>(site.result);
  case ElementClass::Float:
    return convertReal<double>(site.result);
  case ElementClass::Complex:
    return convertReal<Complex>(site.result);
  }
  return {};
}

/// Rounds to `mantissaBits` and limits the exponent to `exponentBits`: what is
/// larger becomes infinite, what is smaller than the smallest normal number 0.
static double reducePrecision(double value, const llvm::fltSemantics &semantics,
                              unsigned exponentBits, unsigned mantissaBits) {
  if (!std::isfinite(value) || value == 0)
    return value;
  int ownMantissa = llvm::APFloat::semanticsPrecision(semantics) - 1;
  int exponent;
  std::frexp(value, &exponent); // value = f * 2^exponent, f in [1/2, 1)
  --exponent;
  if (int(mantissaBits) < ownMantissa) {
    // Rounding happens at a bit of the stored format: for a subnormal number
    // that lies where the smallest normal number has it.
    int lowest = llvm::APFloat::semanticsMinExponent(semantics);
    int unit = std::max(exponent, lowest) - int(mantissaBits);
    value = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
    if (value == 0)
      return value;
    std::frexp(value, &exponent);
    --exponent;
  }
  int limit = (1 << (exponentBits - 1)) - 1;
  if (exponent > limit)
    return std::copysign(INFINITY, value);
  if (exponent < 1 - limit &&
      1 - limit > llvm::APFloat::semanticsMinExponent(semantics))
    return std::copysign(0.0, value);
  return value;
}

static ElementFunction reducePrecision(const ElementSite &site) {
  auto op = mlir::cast<stablehlo::ReducePrecisionOp>(site.op);
  unsigned exponent = std::min<unsigned>(op.getExponentBits(), 20);
  unsigned mantissa = std::min<unsigned>(op.getMantissaBits(), 64);
  // Floats of a byte or less have the precision of the numbers that they are,
  // not of how these are stored.
  ElementKind kind = site.operands.front();
  const llvm::fltSemantics &semantics =
      floatSemantics(bitWidth(kind) <= 8 ? ElementKind::F32 : kind);
  return unary<double, double>([=, &semantics](double a) {
    return reducePrecision(a, semantics, exponent, mantissa);
  });
}

static ElementFunction ceiling(const ElementSite &) {
  return unary<double, double>([](double a) { return std::ceil(a); });
}
static ElementFunction floor(const ElementSite &) {
  return unary<double, double>([](double a) { return std::floor(a); });
}
static ElementFunction roundAwayFromZero(const ElementSite &) {
  return unary<double, double>([](double a) { return std::round(a); });
}
static ElementFunction roundToEven(const ElementSite &) {
  return unary<double, double>([](double a) { return std::nearbyint(a); });
}
static ElementFunction truncate(const ElementSite &) {
  return unary<double, double>([](double a) { return std::trunc(a); });
}

void reference::addConversions(ElementRules &rules) {
  rules["stablehlo.convert"] = convert;
  // Signless integers are signed here, booleans are not.
  for (const char *name :
       {"arith.extf", "arith.truncf", "arith.fptosi", "arith.index_cast"})
    rules[name] = convert;
  rules["stablehlo.reduce_precision"] = reducePrecision;
  for (const char *name : {"stablehlo.ceil", "math.ceil"})
    rules[name] = ceiling;
  for (const char *name : {"stablehlo.floor", "math.floor"})
    rules[name] = floor;
  for (const char *name : {"stablehlo.round_nearest_afz", "math.round"})
    rules[name] = roundAwayFromZero;
  for (const char *name : {"stablehlo.round_nearest_even", "math.roundeven"})
    rules[name] = roundToEven;
  rules["math.trunc"] = truncate;
}
