// Compares tensors within tolerances, and says where they differ most.

#include "heddle/Support/CompareTensors.h"

#include "llvm/ADT/bit.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

/// Position of a value among the values of its kind, so that neighbours differ
/// by one; both zeros are 0.
static int64_t ordinal(ElementKind kind, double value) {
  uint64_t bits = floatToBits(kind, value);
  // No sign: the bits are the order.
  if (kind == ElementKind::F8E8M0FNU)
    return bits;
  uint64_t sign = uint64_t(1) << (bitWidth(kind) - 1);
  int64_t magnitude = bits & (sign - 1);
  return bits & sign ? -magnitude : magnitude;
}

uint64_t heddle::ulpDistance(ElementKind kind, double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : UINT64_MAX;
  int64_t first = ordinal(kind, a), second = ordinal(kind, b);
  return first > second ? uint64_t(first) - uint64_t(second)
                        : uint64_t(second) - uint64_t(first);
}

std::string heddle::indexText(ArrayRef<int64_t> shape, int64_t index) {
  std::string text;
  for (size_t i = shape.size(); i-- > 0;) {
    std::string digit = std::to_string(shape[i] ? index % shape[i] : 0);
    text = text.empty() ? digit : digit + ", " + text;
    index /= shape[i] ? shape[i] : 1;
  }
  return "[" + text + "]";
}

namespace {
/// Sums up one element pair after the other.
class Accumulator {
public:
  explicit Accumulator(ElementKind ulpKind) : ulpKind(ulpKind) {}

  void addPart(double actual, double expected) {
    bool bothNan = std::isnan(actual) && std::isnan(expected);
    if (bothNan || actual == expected) {
      if (std::isfinite(expected))
        squaredNorm += expected * expected;
      return;
    }
    differs = true;
    if (!std::isfinite(actual) || !std::isfinite(expected)) {
      nonFinite = true;
      return;
    }
    double difference = std::fabs(actual - expected);
    squaredDifference += difference * difference;
    squaredNorm += expected * expected;
    elementDifference = std::max(elementDifference, difference);
    if (expected != 0)
      distance.maxRelative =
          std::max(distance.maxRelative, difference / std::fabs(expected));
    if (elementClass(ulpKind) == ElementClass::Float)
      distance.maxUlp =
          std::max(distance.maxUlp, ulpDistance(ulpKind, actual, expected));
  }

  void addInteger(bool equal, double difference, double expected) {
    squaredNorm += expected * expected;
    if (equal)
      return;
    differs = true;
    squaredDifference += difference * difference;
    elementDifference = difference;
    if (expected != 0)
      distance.maxRelative =
          std::max(distance.maxRelative, difference / std::fabs(expected));
  }

  /// Ends the element that the parts since the last call belong to.
  void endElement(int64_t index) {
    if (differs) {
      ++distance.differing;
      if (distance.firstIndex < 0)
        distance.firstIndex = index;
      if (nonFinite && distance.nonFiniteMismatches++ == 0)
        distance.worstIndex = index;
      if (elementDifference > distance.maxAbsolute || distance.worstIndex < 0) {
        distance.maxAbsolute = elementDifference;
        if (distance.nonFiniteMismatches == 0)
          distance.worstIndex = index;
      }
    }
    differs = nonFinite = false;
    elementDifference = 0;
  }

  TensorDistance finish(int64_t elements) {
    distance.elements = elements;
    distance.relativeL2 = std::sqrt(squaredDifference);
    if (squaredNorm > 0)
      distance.relativeL2 /= std::sqrt(squaredNorm);
    return distance;
  }

private:
  ElementKind ulpKind;
  TensorDistance distance;
  double squaredDifference = 0, squaredNorm = 0;
  /// Of the element in progress.
  double elementDifference = 0;
  bool differs = false, nonFinite = false;
};
} // namespace

/// Calls `visit(actual, expected, index)` for all elements, loaded as T in
/// blocks.
template <typename T, typename Visit>
static void forPairs(const HostTensor &actual, const HostTensor &expected,
                     Visit visit) {
  constexpr int64_t kBlock = 256;
  T left[kBlock], right[kBlock];
  for (int64_t begin = 0; begin < actual.size(); begin += kBlock) {
    int64_t count = std::min(kBlock, actual.size() - begin);
    loadElements(actual.kind(), actual.element(begin), count, left);
    loadElements(expected.kind(), expected.element(begin), count, right);
    for (int64_t i = 0; i < count; ++i)
      visit(left[i], right[i], begin + i);
  }
}

llvm::Expected<TensorDistance>
heddle::compareTensors(const HostTensor &actual, const HostTensor &expected) {
  auto refuse = [&](const char *what) {
    return llvm::createStringError(llvm::inconvertibleErrorCode(), what);
  };
  if (actual.shape() != expected.shape())
    return refuse("the tensors have different shapes");
  ElementClass left = elementClass(actual.kind());
  ElementClass right = elementClass(expected.kind());
  if ((left == ElementClass::Complex) != (right == ElementClass::Complex))
    return refuse("only one of the tensors is complex");

  Accumulator sum(partKind(actual.kind()));
  if (left == ElementClass::Complex) {
    forPairs<std::complex<double>>(
        actual, expected,
        [&](std::complex<double> a, std::complex<double> e, int64_t i) {
          sum.addPart(a.real(), e.real());
          sum.addPart(a.imag(), e.imag());
          sum.endElement(i);
        });
  } else if (left == ElementClass::Float || right == ElementClass::Float) {
    forPairs<double>(actual, expected, [&](double a, double e, int64_t i) {
      sum.addPart(a, e);
      sum.endElement(i);
    });
  } else if (left == ElementClass::Signed && right == left) {
    forPairs<int64_t>(actual, expected, [&](int64_t a, int64_t e, int64_t i) {
      sum.addInteger(a == e, std::fabs(double(a) - double(e)), double(e));
      sum.endElement(i);
    });
  } else {
    forPairs<uint64_t>(
        actual, expected, [&](uint64_t a, uint64_t e, int64_t i) {
          sum.addInteger(a == e, double(a > e ? a - e : e - a), double(e));
          sum.endElement(i);
        });
  }
  return sum.finish(actual.size());
}
