// Floating-point formats: exact values, and rounding to them.

#ifndef HEDDLE_TEST_EMULATOR_MACHINE_FORMATS_H
#define HEDDLE_TEST_EMULATOR_MACHINE_FORMATS_H

#include "test/emulator/ptx/Type.h"

#include <cmath>
#include <cstdint>
#include <cstring>

namespace heddle::emulator {

enum class Rounding : uint8_t {
  Nearest, // ties to even
  Zero,
  Down,
  Up,
  NearestAway, // ties away from zero
};

template <class To, class From> inline To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From), "sizes differ");
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

struct Format {
  unsigned exponentBits, mantissaBits;
  int bias;
  bool hasInfinity;
  /// The code of the largest finite value, and of the NaN that results have.
  uint32_t largest, nan;
  bool hasSign = true;
};

inline constexpr Format kF16{5, 10, 15, true, 0x7bff, 0x7fff};
inline constexpr Format kBF16{8, 7, 127, true, 0x7f7f, 0x7fff};
inline constexpr Format kTF32{8, 10, 127, true, 0x3fbff, 0x3ffff};
inline constexpr Format kF32{8, 23, 127, true, 0x7f7fffff, 0x7fffffff};
inline constexpr Format kE4M3{4, 3, 7, false, 0x7e, 0x7f};
inline constexpr Format kE5M2{5, 2, 15, true, 0x7b, 0x7f};
inline constexpr Format kE2M1{2, 1, 1, false, 0x7, 0x7};
inline constexpr Format kE2M3{2, 3, 1, false, 0x1f, 0x1f};
inline constexpr Format kE3M2{3, 2, 3, false, 0x1f, 0x1f};

/// The code of `value`, which is exact or rounded to odd. `saturate` makes the
/// largest finite value of what is too large; NaN stays NaN.
uint32_t encode(double value, const Format &format, Rounding rounding,
                bool saturate);
double decode(uint32_t code, const Format &format);

/// `value` with its last bit odd where `error`, the exact result less `value`,
/// is not zero: what is rounded once more is rounded right.
double toOdd(double value, double error);
double addToOdd(double a, double b);
double multiplyAddToOdd(double a, double b, double c);

inline float halfToFloat(uint16_t half) {
  uint32_t magnitude = uint32_t(half & 0x7fff) << 13;
  // Infinities and NaNs need the exponent of float's.
  float scaled = bitCast<float>(magnitude) * 0x1p112f;
  uint32_t special = magnitude >= 0x0f800000 ? magnitude | 0x7f800000 : 0;
  uint32_t bits = special ? special : bitCast<uint32_t>(scaled);
  return bitCast<float>(bits | uint32_t(half & 0x8000) << 16);
}

inline float bfloatToFloat(uint16_t bits) {
  return bitCast<float>(uint32_t(bits) << 16);
}

/// Nearest, ties to even; NaNs become 0x7fff.
inline uint16_t floatToBfloat(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return uint16_t(value != value ? 0x7fff : rounded);
}

inline uint16_t floatToHalf(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  uint32_t sign = (bits >> 16) & 0x8000, magnitude = bits & 0x7fffffff;
  // Normal results: the mantissa is rounded, the exponent rebiased.
  uint32_t normal =
      (magnitude - 0x38000000 + 0xfff + ((magnitude >> 13) & 1)) >> 13;
  // Subnormal ones: the addition rounds to their last place.
  float shifted = bitCast<float>(magnitude) + 0.5f;
  uint32_t small = bitCast<uint32_t>(shifted) - 0x3f000000;
  uint32_t result = magnitude < 0x38800000 ? small : normal;
  result = magnitude >= 0x47800000 ? 0x7c00 : result;
  result = magnitude > 0x7f800000 ? 0x7fff : result | sign;
  return uint16_t(result);
}

inline float canonical(float value) {
  return value == value ? value : bitCast<float>(0x7fffffffu);
}

/// Subnormal numbers become zeros of their sign.
inline float flush(float value) {
  uint32_t bits = bitCast<uint32_t>(value);
  return bitCast<float>((bits & 0x7f800000) ? bits : bits & 0x80000000);
}

inline float clampToOne(float value) {
  return value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
}

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_MACHINE_FORMATS_H
