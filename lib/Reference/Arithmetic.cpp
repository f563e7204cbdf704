// Sums, products, quotients, extremes and signs of elements of every class.

#include "ElementFunctions.h"

#include <cmath>
#include <limits>

using namespace heddle;
using namespace heddle::reference;

/// One function per class; those for which a class has no meaning are empty.
static ElementFunction byClass(const ElementSite &site, ElementFunction boolean,
                               ElementFunction integer, ElementFunction real,
                               ElementFunction complex) {
  switch (site.operandClass()) {
  case ElementClass::Boolean:
    return boolean;
  case ElementClass::Signed:
  case ElementClass::Unsigned:
    return integer;
  case ElementClass::Float:
    return real;
  case ElementClass::Complex:
    return complex;
  }
  return {};
}

template <typename F> static ElementFunction onBits(F f) {
  return binary<uint64_t, uint64_t>(f);
}
template <typename F> static ElementFunction onReals(F f) {
  return binary<double, double>(f);
}
template <typename F> static ElementFunction onComplex(F f) {
  return binary<Complex, Complex>(f);
}

/// Wrapping arithmetic is the same for signed and unsigned: it is done
/// unsigned, and canonicalising restores the sign.
static ElementFunction add(const ElementSite &site) {
  return byClass(site, onBits([](uint64_t a, uint64_t b) { return a | b; }),
                 onBits([](uint64_t a, uint64_t b) { return a + b; }),
                 onReals([](double a, double b) { return a + b; }),
                 onComplex([](Complex a, Complex b) { return a + b; }));
}

static ElementFunction subtract(const ElementSite &site) {
  return byClass(site, {}, onBits([](uint64_t a, uint64_t b) { return a - b; }),
                 onReals([](double a, double b) { return a - b; }),
                 onComplex([](Complex a, Complex b) { return a - b; }));
}

static ElementFunction multiply(const ElementSite &site) {
  return byClass(site, onBits([](uint64_t a, uint64_t b) { return a & b; }),
                 onBits([](uint64_t a, uint64_t b) { return a * b; }),
                 onReals([](double a, double b) { return a * b; }),
                 onComplex([](Complex a, Complex b) { return a * b; }));
}

/// The quotient rounded to zero. The specification leaves x / 0 and min / -1
/// open: as in XLA they are -1 (all bits set) and min.
static ElementFunction divide(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return binary<int64_t, int64_t>([](int64_t a, int64_t b) -> int64_t {
      if (b == 0)
        return -1;
      return b == -1 ? int64_t(-uint64_t(a)) : a / b;
    });
  return byClass(site, {}, onBits([](uint64_t a, uint64_t b) {
                   return b ? a / b : ~uint64_t(0);
                 }),
                 onReals([](double a, double b) { return a / b; }),
                 onComplex([](Complex a, Complex b) {
                   using Wide = std::complex<long double>;
                   Wide quotient = Wide(a) / Wide(b);
                   return Complex(quotient.real(), quotient.imag());
                 }));
}

/// With the dividend's sign; x % 0 is x for integers.
static ElementFunction remainder(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return binary<int64_t, int64_t>([](int64_t a, int64_t b) -> int64_t {
      if (b == 0)
        return a;
      return b == -1 ? 0 : a % b;
    });
  return byClass(
      site, {}, onBits([](uint64_t a, uint64_t b) { return b ? a % b : a; }),
      onReals([](double a, double b) { return std::fmod(a, b); }), {});
}

static bool lexicographicallyLess(Complex a, Complex b) {
  return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
}

/// IEEE-754 2019 maximum: NaN wins, and 0 is larger than -0.
static double maximumOf(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimumOf(double a, double b) { return -maximumOf(-a, -b); }

static ElementFunction maximum(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return binary<int64_t, int64_t>(
        [](int64_t a, int64_t b) { return std::max(a, b); });
  auto larger = onBits([](uint64_t a, uint64_t b) { return std::max(a, b); });
  return byClass(site, larger, larger, onReals(maximumOf),
                 onComplex([](Complex a, Complex b) {
                   return lexicographicallyLess(a, b) ? b : a;
                 }));
}

static ElementFunction minimum(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return binary<int64_t, int64_t>(
        [](int64_t a, int64_t b) { return std::min(a, b); });
  auto smaller = onBits([](uint64_t a, uint64_t b) { return std::min(a, b); });
  return byClass(site, smaller, smaller, onReals(minimumOf),
                 onComplex([](Complex a, Complex b) {
                   return lexicographicallyLess(b, a) ? b : a;
                 }));
}

static ElementFunction negate(const ElementSite &site) {
  return byClass(site, {},
                 unary<uint64_t, uint64_t>([](uint64_t a) { return -a; }),
                 unary<double, double>([](double a) { return -a; }),
                 unary<Complex, Complex>([](Complex a) { return -a; }));
}

static ElementFunction absolute(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return unary<int64_t, uint64_t>(
        [](int64_t a) { return a < 0 ? -uint64_t(a) : uint64_t(a); });
  return byClass(
      site, {}, unary<uint64_t, uint64_t>([](uint64_t a) { return a; }),
      unary<double, double>([](double a) { return std::fabs(a); }),
      unary<Complex, double>([](Complex a) {
        return double(std::hypot((long double)a.real(), (long double)a.imag()));
      }));
}

/// -1, 0 or 1; NaN and both zeros stay; z / |z| for complex numbers.
static ElementFunction sign(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Signed)
    return unary<int64_t, int64_t>(
        [](int64_t a) { return int64_t(a > 0) - int64_t(a < 0); });
  return byClass(
      site, {},
      unary<uint64_t, uint64_t>([](uint64_t a) { return uint64_t(a > 0); }),
      unary<double, double>([](double a) {
        return a > 0 ? 1.0 : a < 0 ? -1.0 : a;
      }),
      unary<Complex, Complex>([](Complex a) {
        if (std::isnan(a.real()) || std::isnan(a.imag()))
          return Complex(NAN, NAN);
        long double length =
            std::hypot((long double)a.real(), (long double)a.imag());
        return length == 0 ? Complex(0, 0)
                           : Complex(a.real() / length, a.imag() / length);
      }));
}

/// min(max(min, x), max): in this order, so that an empty range gives max.
template <typename T, T (*Smaller)(T, T), T (*Larger)(T, T)>
static ElementFunction clampOf() {
  return [](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out.as<T>()[i] = Smaller(Larger(in[0]->as<T>()[i], in[1]->as<T>()[i]),
                               in[2]->as<T>()[i]);
  };
}
template <typename T> static T smallerInteger(T a, T b) {
  return std::min(a, b);
}
template <typename T> static T largerInteger(T a, T b) {
  return std::max(a, b);
}
static Complex smallerComplex(Complex a, Complex b) {
  return lexicographicallyLess(b, a) ? b : a;
}
static Complex largerComplex(Complex a, Complex b) {
  return lexicographicallyLess(a, b) ? b : a;
}

static ElementFunction clamp(const ElementSite &site) {
  switch (site.operandClass(1)) {
  case ElementClass::Signed:
    return clampOf<int64_t, smallerInteger, largerInteger>();
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return clampOf<uint64_t, smallerInteger, largerInteger>();
  case ElementClass::Float:
    return clampOf<double, minimumOf, maximumOf>();
  case ElementClass::Complex:
    return clampOf<Complex, smallerComplex, largerComplex>();
  }
  return {};
}

template <typename T> static ElementFunction selectOf() {
  return [](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    for (size_t i = 0; i < count; ++i)
      out.as<T>()[i] =
          in[0]->as<uint64_t>()[i] ? in[1]->as<T>()[i] : in[2]->as<T>()[i];
    out.bitsKnown = in[1]->bitsKnown && in[1]->kind == out.kind &&
                    in[2]->bitsKnown && in[2]->kind == out.kind;
    if (out.bitsKnown)
      for (size_t i = 0; i < count; ++i)
        out.bits[i] = in[in[0]->as<uint64_t>()[i] ? 1 : 2]->bits[i];
  };
}
static ElementFunction select(const ElementSite &site) {
  return site.operandClass(1) == ElementClass::Complex ? selectOf<Complex>()
                                                       : selectOf<uint64_t>();
}

static ElementFunction complexOf(const ElementSite &) {
  return binary<double, Complex>(
      [](double re, double im) { return Complex(re, im); });
}
static ElementFunction realPart(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Float)
    return unary<double, double>([](double a) { return a; });
  return unary<Complex, double>([](Complex a) { return a.real(); });
}
static ElementFunction imaginaryPart(const ElementSite &site) {
  if (site.operandClass() == ElementClass::Float)
    return unary<double, double>([](double) { return 0.0; });
  return unary<Complex, double>([](Complex a) { return a.imag(); });
}
static ElementFunction conjugate(const ElementSite &site) {
  if (site.operandClass() != ElementClass::Complex)
    return realPart(site);
  return unary<Complex, Complex>([](Complex a) { return std::conj(a); });
}
static ElementFunction square(const ElementSite &site) {
  return byClass(site, {},
                 unary<uint64_t, uint64_t>([](uint64_t a) { return a * a; }),
                 unary<double, double>([](double a) { return a * a; }),
                 unary<Complex, Complex>([](Complex a) { return a * a; }));
}

void reference::addArithmetic(ElementRules &rules) {
  for (const char *name : {"stablehlo.add", "arith.addf"})
    rules[name] = add;
  for (const char *name : {"stablehlo.subtract", "arith.subf"})
    rules[name] = subtract;
  for (const char *name : {"stablehlo.multiply", "arith.mulf"})
    rules[name] = multiply;
  for (const char *name : {"stablehlo.divide", "arith.divsi", "arith.divf"})
    rules[name] = divide;
  for (const char *name : {"stablehlo.remainder", "arith.remsi", "arith.remf"})
    rules[name] = remainder;
  for (const char *name :
       {"stablehlo.maximum", "arith.maxsi", "arith.maximumf"})
    rules[name] = maximum;
  for (const char *name :
       {"stablehlo.minimum", "arith.minsi", "arith.minimumf"})
    rules[name] = minimum;
  for (const char *name : {"stablehlo.negate", "arith.negf"})
    rules[name] = negate;
  for (const char *name : {"stablehlo.abs", "math.absf", "math.absi"})
    rules[name] = absolute;
  for (const char *name : {"stablehlo.select", "arith.select"})
    rules[name] = select;
  rules["stablehlo.sign"] = sign;
  rules["stablehlo.clamp"] = clamp;
  rules["stablehlo.complex"] = complexOf;
  rules["stablehlo.real"] = realPart;
  rules["stablehlo.imag"] = imaginaryPart;
  rules["chlo.conj"] = conjugate;
  rules["chlo.square"] = square;
}
