// Comparisons of elements.

#include "ElementFunctions.h"

#include "dialects/StableHlo/StableHlo.h"

#include "llvm/ADT/APFloat.h"

#include <cmath>

using namespace heddle;
using namespace heddle::reference;
using stablehlo::ComparisonDirection;

template <typename T, typename F> static ElementFunction test(F f) {
  return binary<T, uint64_t>([f](T a, T b) { return uint64_t(f(a, b)); });
}

template <typename T>
static ElementFunction ordered(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::EQ:
    return test<T>([](T a, T b) { return a == b; });
  case ComparisonDirection::NE:
    return test<T>([](T a, T b) { return a != b; });
  case ComparisonDirection::GE:
    return test<T>([](T a, T b) { return a >= b; });
  case ComparisonDirection::GT:
    return test<T>([](T a, T b) { return a > b; });
  case ComparisonDirection::LE:
    return test<T>([](T a, T b) { return a <= b; });
  case ComparisonDirection::LT:
    return test<T>([](T a, T b) { return a < b; });
  }
  return {};
}

/// Complex numbers are ordered by their real parts first; a NaN anywhere makes
/// all but NE false.
static ElementFunction complexComparison(ComparisonDirection direction) {
  return test<Complex>([direction](Complex a, Complex b) {
    bool equal = a == b;
    bool nan = std::isnan(a.real()) || std::isnan(a.imag()) ||
               std::isnan(b.real()) || std::isnan(b.imag());
    if (direction == ComparisonDirection::EQ)
      return equal;
    if (direction == ComparisonDirection::NE)
      return !equal;
    if (nan)
      return false;
    bool less =
        a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
    switch (direction) {
    case ComparisonDirection::LT:
      return less;
    case ComparisonDirection::LE:
      return less || equal;
    case ComparisonDirection::GT:
      return !less && !equal;
    default:
      return !less;
    }
  });
}

/// Whether the bits of a kind that lanes hold are a sign and a magnitude:
/// formats without a negative zero have NaN in its place.
static bool isSignAndMagnitude(ElementKind kind) {
  return hasBits(kind) &&
         llvm::APFloat::semanticsHasSignedRepr(floatSemantics(kind)) &&
         !std::isnan(bitsToFloat(kind, uint64_t(1) << (bitWidth(kind) - 1)));
}

/// -NaN < -inf < ... < -0 < 0 < ... < inf < NaN, by the bits.
static ElementFunction totalOrder(ElementKind kind,
                                  ComparisonDirection direction) {
  ElementFunction compare = ordered<int64_t>(direction);
  bool ownBits = isSignAndMagnitude(kind);
  unsigned width = ownBits ? bitWidth(kind) : 64;
  uint64_t sign = uint64_t(1) << (width - 1);
  return [=](llvm::ArrayRef<const Lanes *> in, Lanes &out, size_t count) {
    Lanes keys[2];
    for (int operand = 0; operand < 2; ++operand)
      for (size_t i = 0; i < count; ++i) {
        uint64_t bits = ownBits ? in[operand]->bits[i]
                                : floatToBits(ElementKind::F64,
                                              in[operand]->as<double>()[i]);
        int64_t magnitude = bits & (sign - 1);
        keys[operand].as<int64_t>()[i] =
            bits & sign ? -magnitude - 1 : magnitude;
      }
    const Lanes *operands[] = {&keys[0], &keys[1]};
    compare(operands, out, count);
  };
}

static ElementFunction compare(const ElementSite &site) {
  auto op = mlir::cast<stablehlo::CompareOp>(site.op);
  ComparisonDirection direction = op.getComparisonDirection();
  switch (site.operandClass()) {
  case ElementClass::Boolean:
  case ElementClass::Unsigned:
    return ordered<uint64_t>(direction);
  case ElementClass::Signed:
    return ordered<int64_t>(direction);
  case ElementClass::Float:
    if (op.getCompareType() == stablehlo::ComparisonType::TOTALORDER)
      return totalOrder(site.operands.front(), direction);
    return ordered<double>(direction);
  case ElementClass::Complex:
    return complexComparison(direction);
  }
  return {};
}

static ElementFunction isFinite(const ElementSite &) {
  return unary<double, uint64_t>(
      [](double a) { return uint64_t(std::isfinite(a)); });
}
static ElementFunction isInf(const ElementSite &) {
  return unary<double, uint64_t>(
      [](double a) { return uint64_t(std::isinf(a)); });
}
static ElementFunction isPosInf(const ElementSite &) {
  return unary<double, uint64_t>(
      [](double a) { return uint64_t(std::isinf(a) && a > 0); });
}
static ElementFunction isNegInf(const ElementSite &) {
  return unary<double, uint64_t>(
      [](double a) { return uint64_t(std::isinf(a) && a < 0); });
}

void reference::addComparisons(ElementRules &rules) {
  rules["stablehlo.compare"] = compare;
  rules["stablehlo.is_finite"] = isFinite;
  rules["chlo.is_inf"] = isInf;
  rules["chlo.is_pos_inf"] = isPosInf;
  rules["chlo.is_neg_inf"] = isNegInf;
}
