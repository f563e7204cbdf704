// bf16 and f16: their numbers as doubles, and doubles rounded to them once.

#ifndef HEDDLE_LIB_SUPPORT_HALFFLOATS_H
#define HEDDLE_LIB_SUPPORT_HALFFLOATS_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace heddle {

inline uint32_t bitsOf(float value) { return llvm::bit_cast<uint32_t>(value); }
inline float floatOf(uint32_t bits) { return llvm::bit_cast<float>(bits); }

/// Rounds to f32 so that rounding the result again to at most 22 bits is the
/// same as rounding `value` once: an inexact result gets an odd last bit.
inline float roundToOdd(double value) {
  float nearest = float(value);
  if (double(nearest) == value || std::isnan(value))
    return nearest;
  uint32_t bits = bitsOf(nearest);
  if (bits & 1)
    return nearest;
  return floatOf(std::fabs(double(nearest)) < std::fabs(value) ? bits + 1
                                                               : bits - 1);
}

/// The bits of the nearest bf16, ties to even.
inline uint16_t toBFloat16(double value) {
  uint32_t bits = bitsOf(roundToOdd(value));
  if (std::isnan(value))
    return (bits >> 16) | 0x40;
  return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
}

inline double fromBFloat16(uint16_t bits) {
  return floatOf(uint32_t(bits) << 16);
}

/// The bits of the nearest f16, ties to even; beyond its range, infinity.
inline uint16_t toFloat16(double value) {
  uint32_t bits = bitsOf(roundToOdd(value));
  uint16_t sign = (bits >> 16) & 0x8000;
  uint32_t magnitude = bits & 0x7FFFFFFF;
  if (magnitude > 0x7F800000)
    return sign | 0x7E00 | ((magnitude >> 13) & 0x1FF);
  if (magnitude >= 0x47800000) // 2^16
    return sign | 0x7C00;
  if (magnitude < 0x33000000) // below 2^-25
    return sign;
  unsigned exponent = magnitude >> 23;
  uint32_t mantissa = (magnitude & 0x7FFFFF) | 0x800000;
  // A normal half drops 13 bits; a subnormal one more for each power below
  // 2^-14.
  unsigned drop = exponent < 113 ? 13 + (113 - exponent) : 13;
  uint32_t kept = mantissa >> drop;
  uint32_t rest = mantissa & ((1u << drop) - 1), half = 1u << (drop - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept;
  if (exponent < 113)
    return sign | kept;
  // A carry out of the mantissa counts the exponent up, at the top to infinity.
  return sign | (kept + ((exponent - 113) << 10));
}

inline double fromFloat16(uint16_t bits) {
  unsigned exponent = (bits >> 10) & 31;
  unsigned mantissa = bits & 0x3FF;
  double magnitude;
  if (exponent == 31)
    magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude = mantissa * 0x1p-24;
  else
    magnitude = llvm::bit_cast<double>((uint64_t(exponent + 1008) << 52) |
                                       (uint64_t(mantissa) << 42));
  return std::copysign(magnitude, bits & 0x8000 ? -1.0 : 1.0);
}

} // namespace heddle

#endif // HEDDLE_LIB_SUPPORT_HALFFLOATS_H
