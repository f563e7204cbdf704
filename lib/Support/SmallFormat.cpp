// Fills the tables of small floats by asking APFloat, and rounds by them.

#include "SmallFormat.h"

#include "llvm/ADT/APFloat.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace heddle;
using llvm::APFloat;
using llvm::fltSemantics;

static APFloat converted(double value, const fltSemantics &to) {
  APFloat result(value);
  bool losesInfo;
  result.convert(to, APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

static uint8_t code(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

SmallFormat::SmallFormat(ElementKind kind) {
  const fltSemantics &semantics = floatSemantics(kind);
  unsigned width = heddle::bitWidth(kind);
  mask = (1u << width) - 1;
  isSigned = kind != ElementKind::F8E8M0FNU;
  signBit = isSigned ? 1u << (width - 1) : 0;
  for (unsigned i = 0; i < 256; ++i) {
    // A bare exponent; APFloat does not convert its NaN.
    if (!isSigned)
      values[i] = i == 255 ? std::numeric_limits<double>::quiet_NaN()
                           : std::ldexp(1.0, int(i) - 127);
    else
      values[i] =
          APFloat(semantics, llvm::APInt(width, i & mask)).convertToDouble();
  }

  unsigned magnitudeCodes = isSigned ? signBit : 256;
  for (unsigned i = 0; i < magnitudeCodes; ++i)
    if (std::isfinite(values[i])) {
      magnitudes.push_back(values[i]);
      codes.push_back(i);
    }
  for (size_t i = 0; i < magnitudes.size(); ++i) {
    bool isLast = i + 1 == magnitudes.size();
    double step = isLast ? magnitudes[i] - magnitudes[i - 1]
                         : magnitudes[i + 1] - magnitudes[i];
    middles.push_back(magnitudes[i] + step / 2);
    // Of two powers of two the one with the even exponent field.
    middleCodes.push_back(isSigned ? code(converted(middles.back(), semantics))
                                   : codes[i] + codes[i] % 2);
  }
  bool hasNan = std::any_of(values.begin(), values.end(),
                            [](double v) { return std::isnan(v); });
  bool hasInfinity = std::any_of(values.begin(), values.end(),
                                 [](double v) { return std::isinf(v); });
  // f4 and f6 have neither: the largest value stands for both.
  uint8_t largest = codes.back();
  nan = !isSigned ? 255 : hasNan ? code(APFloat::getNaN(semantics)) : largest;
  infinity =
      hasInfinity ? code(APFloat::getInf(semantics)) : (hasNan ? nan : largest);
  overflow = infinity;
  // The FNUZ formats have one zero; their sign bit alone is NaN.
  negativeZero = isSigned && values[signBit] == 0 ? signBit : codes.front();
}

uint8_t SmallFormat::bits(double value) const {
  if (std::isnan(value))
    return nan;
  bool negative = std::signbit(value);
  if (negative && !isSigned)
    return nan;
  double magnitude = std::fabs(value);
  uint8_t result;
  if (std::isinf(value)) {
    result = infinity;
  } else {
    size_t above = std::upper_bound(middles.begin(), middles.end(), magnitude) -
                   middles.begin();
    if (above > 0 && middles[above - 1] == magnitude)
      result = middleCodes[above - 1];
    else
      result = above < codes.size() ? codes[above] : overflow;
  }
  // The NaN of the FNUZ formats is the sign alone.
  if (!negative || result == signBit)
    return result;
  return result == codes.front() && magnitudes.front() == 0 ? negativeZero
                                                            : result | signBit;
}

const SmallFormat &heddle::smallFormat(ElementKind kind) {
  constexpr unsigned first = unsigned(ElementKind::F4E2M1FN);
  static const std::vector<SmallFormat> formats = [] {
    std::vector<SmallFormat> made;
    for (unsigned i = first; i <= unsigned(ElementKind::F8E8M0FNU); ++i)
      made.emplace_back(ElementKind(i));
    return made;
  }();
  return formats[unsigned(kind) - first];
}
