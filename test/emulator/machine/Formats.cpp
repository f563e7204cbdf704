// Rounding to the formats of the device.

#include "test/emulator/machine/Formats.h"

#include <algorithm>

namespace heddle::emulator {

static double roundInteger(double magnitude, bool negative, Rounding rounding) {
  switch (rounding) {
  case Rounding::Nearest:
    return std::nearbyint(magnitude);
  case Rounding::NearestAway:
    return std::round(magnitude);
  case Rounding::Zero:
    return std::trunc(magnitude);
  case Rounding::Down:
    return negative ? std::ceil(magnitude) : std::floor(magnitude);
  case Rounding::Up:
    return negative ? std::floor(magnitude) : std::ceil(magnitude);
  }
  return magnitude;
}

uint32_t encode(double value, const Format &format, Rounding rounding,
                bool saturate) {
  unsigned mantissa = format.mantissaBits;
  uint32_t signBit = 1u << (format.exponentBits + mantissa);
  bool negative = std::signbit(value);
  uint32_t sign = negative ? signBit : 0;
  if (std::isnan(value))
    return format.nan;
  double magnitude = std::fabs(value);
  uint32_t infinity = ((1u << format.exponentBits) - 1) << mantissa;
  if (std::isinf(magnitude)) {
    if (saturate)
      return sign | format.largest;
    return sign | (format.hasInfinity ? infinity : format.nan);
  }
  if (magnitude == 0)
    return sign;
  int exponent = std::max(std::ilogb(magnitude), 1 - format.bias);
  double steps = std::ldexp(magnitude, int(mantissa) - exponent);
  steps = roundInteger(steps, negative, rounding);
  double whole = std::ldexp(1.0, int(mantissa));
  if (steps >= 2 * whole) {
    steps /= 2;
    ++exponent;
  }
  uint32_t code = steps < whole ? uint32_t(steps)
                                : uint32_t(exponent + format.bias) << mantissa |
                                      uint32_t(steps - whole);
  if (code <= format.largest)
    return sign | code;
  // Overflow: towards zero ends at the largest number.
  bool away = rounding == Rounding::Nearest ||
              rounding == Rounding::NearestAway ||
              (rounding == Rounding::Up && !negative) ||
              (rounding == Rounding::Down && negative);
  if (saturate || !away)
    return sign | format.largest;
  return sign | (format.hasInfinity ? infinity : format.nan);
}

double decode(uint32_t code, const Format &format) {
  unsigned mantissa = format.mantissaBits;
  uint32_t signBit = 1u << (format.exponentBits + mantissa);
  uint32_t magnitude = code & (signBit - 1);
  bool negative = code & signBit;
  double value;
  uint32_t infinity = ((1u << format.exponentBits) - 1) << mantissa;
  if (format.hasInfinity && magnitude >= infinity) {
    value = magnitude == infinity ? INFINITY : NAN;
  } else if (!format.hasInfinity && magnitude > format.largest) {
    value = NAN;
  } else {
    uint32_t exponent = magnitude >> mantissa;
    uint32_t fraction = magnitude & ((1u << mantissa) - 1);
    if (exponent)
      fraction |= 1u << mantissa;
    value = std::ldexp(double(fraction), int(exponent ? exponent : 1) -
                                             format.bias - int(mantissa));
  }
  return negative ? -value : value;
}

double toOdd(double value, double error) {
  if (error == 0 || std::isnan(error) || std::isinf(value))
    return value;
  uint64_t bits = bitCast<uint64_t>(value);
  if (bits & 1)
    return value;
  bool larger = (error > 0) == !std::signbit(value);
  if (value == 0)
    return error > 0 ? 5e-324 : -5e-324;
  return bitCast<double>(larger ? bits + 1 : bits - 1);
}

double addToOdd(double a, double b) {
  double sum = a + b;
  if (!std::isfinite(sum))
    return sum;
  double back = sum - a;
  double error = (a - (sum - back)) + (b - back);
  return toOdd(sum, error);
}

/// The product of two floats is exact in double.
double multiplyAddToOdd(double a, double b, double c) {
  return addToOdd(a * b, c);
}

} // namespace heddle::emulator
