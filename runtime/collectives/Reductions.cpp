// Reductions by type and operation: plain loops over blocks that stay in the
// first cache, which the compiler vectorizes.

#include "runtime/collectives/Reductions.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

using namespace heddle::runtime;

//===----------------------------------------------------------------------===//
// Floats of 16 bits
//===----------------------------------------------------------------------===//

static float floatOf(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

namespace {
/// bfloat16: the upper half of a float.
struct Brain {
  uint16_t bits;
  explicit operator float() const { return floatOf(uint32_t(bits) << 16); }
  static Brain of(float value) {
    uint32_t wide = bitsOf(value);
    if (std::isnan(value)) // also where rounding would make it infinite
      return {static_cast<uint16_t>(wide >> 16 | 0x40)};
    // To nearest, ties to even.
    return {static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16)};
  }
};

/// IEEE 754 binary16.
struct Half {
  uint16_t bits;
  explicit operator float() const {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, exponent = bits >> 10 & 31,
             mantissa = bits & 0x3ff;
    if (exponent == 31)
      return floatOf(sign | 0x7f800000 | mantissa << 13);
    if (exponent)
      return floatOf(sign | (exponent + 112) << 23 | mantissa << 13);
    float small = float(mantissa) * 0x1p-24f; // exact
    return floatOf(sign | bitsOf(small));
  }
  static Half of(float value) {
    uint32_t wide = bitsOf(value), sign = wide >> 16 & 0x8000,
             magnitude = wide & 0x7fffffff;
    if (magnitude > 0x7f800000)
      return {static_cast<uint16_t>(sign | 0x7e00 | (magnitude >> 13 & 0x3ff))};
    if (magnitude >= 0x477ff000) // 65520, what rounds to 65536
      return {static_cast<uint16_t>(sign | 0x7c00)};
    if (magnitude < 0x38800000) { // below 2^-14: a multiple of 2^-24
      // The sum's last place is 2^-24, so that it is rounded there.
      float shifted = floatOf(magnitude) + 0.5f;
      return {static_cast<uint16_t>(sign | (bitsOf(shifted) - 0x3f000000))};
    }
    uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return {static_cast<uint16_t>(sign | ((rounded - 0x38000000) >> 13))};
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// Integers as wide as products of narrower ones need, without a sign.
template <typename T>
using Wrapping = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T> static T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

template <typename T> static T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return a + b;
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}

/// One step of a reduction.
template <uint32_t reduction, typename T> static T join(T a, T b) {
  if constexpr (reduction == HEDDLE_REDUCE_MAXIMUM) {
    return larger(a, b);
  } else if constexpr (reduction == HEDDLE_REDUCE_MINIMUM) {
    return smaller(a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return reduction == HEDDLE_REDUCE_SUM ? a + b : a * b;
  } else {
    auto x = static_cast<Wrapping<T>>(a), y = static_cast<Wrapping<T>>(b);
    if constexpr (reduction == HEDDLE_REDUCE_SUM)
      return static_cast<T>(x + y);
    else if constexpr (reduction == HEDDLE_REDUCE_PRODUCT)
      return static_cast<T>(x * y);
    else if constexpr (reduction == HEDDLE_REDUCE_AND)
      return static_cast<T>(x & y);
    else
      return static_cast<T>(x | y);
  }
}

/// target = target op term, over some elements.
template <uint32_t reduction, typename T>
static void fold(T *target, const T *term, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i) {
    if constexpr (std::is_arithmetic_v<T>)
      target[i] = join<reduction>(target[i], term[i]);
    else
      target[i] = T::of(join<reduction>(float(target[i]), float(term[i])));
  }
}

template <uint32_t reduction, typename T>
static void reduceAll(void *target, const Terms &terms, int64_t elements) {
  constexpr int64_t block = 8192 / sizeof(T);
  for (int64_t begin = 0; begin < elements; begin += block) {
    int64_t count = std::min(block, elements - begin);
    T *to = static_cast<T *>(target) + begin;
    auto term = [&](uint32_t i) {
      return static_cast<const T *>(terms.at(terms.user, i)) + begin;
    };
    std::memcpy(to, term(0), static_cast<size_t>(count) * sizeof(T));
    for (uint32_t i = 1; i < terms.count; ++i)
      fold<reduction>(to, term(i), count);
  }
}

template <typename T>
static void reduceBy(uint32_t reduction, void *target, const Terms &terms,
                     int64_t elements) {
  switch (reduction) {
  case HEDDLE_REDUCE_SUM:
    return reduceAll<HEDDLE_REDUCE_SUM, T>(target, terms, elements);
  case HEDDLE_REDUCE_PRODUCT:
    return reduceAll<HEDDLE_REDUCE_PRODUCT, T>(target, terms, elements);
  case HEDDLE_REDUCE_MINIMUM:
    return reduceAll<HEDDLE_REDUCE_MINIMUM, T>(target, terms, elements);
  case HEDDLE_REDUCE_MAXIMUM:
    return reduceAll<HEDDLE_REDUCE_MAXIMUM, T>(target, terms, elements);
  default:
    break;
  }
  // Of integers alone.
  if constexpr (std::is_integral_v<T>) {
    if (reduction == HEDDLE_REDUCE_AND)
      return reduceAll<HEDDLE_REDUCE_AND, T>(target, terms, elements);
    return reduceAll<HEDDLE_REDUCE_OR, T>(target, terms, elements);
  }
}

void heddle::runtime::reduce(uint32_t dtype, uint32_t reduction, void *target,
                             const Terms &terms, int64_t elements) {
  switch (dtype) {
  case HEDDLE_I8:
    return reduceBy<int8_t>(reduction, target, terms, elements);
  case HEDDLE_I16:
    return reduceBy<int16_t>(reduction, target, terms, elements);
  case HEDDLE_I32:
    return reduceBy<int32_t>(reduction, target, terms, elements);
  case HEDDLE_I64:
    return reduceBy<int64_t>(reduction, target, terms, elements);
  case HEDDLE_I1: // a byte of 0 or 1
  case HEDDLE_UI8:
    return reduceBy<uint8_t>(reduction, target, terms, elements);
  case HEDDLE_UI16:
    return reduceBy<uint16_t>(reduction, target, terms, elements);
  case HEDDLE_UI32:
    return reduceBy<uint32_t>(reduction, target, terms, elements);
  case HEDDLE_UI64:
    return reduceBy<uint64_t>(reduction, target, terms, elements);
  case HEDDLE_F16:
    return reduceBy<Half>(reduction, target, terms, elements);
  case HEDDLE_BF16:
    return reduceBy<Brain>(reduction, target, terms, elements);
  case HEDDLE_F32:
    return reduceBy<float>(reduction, target, terms, elements);
  case HEDDLE_F64:
    return reduceBy<double>(reduction, target, terms, elements);
  default:
    break;
  }
}
