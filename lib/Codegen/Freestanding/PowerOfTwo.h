// Scaling that rounds nothing.

#ifndef HEDDLE_LIB_CODEGEN_FREESTANDING_POWEROFTWO_H
#define HEDDLE_LIB_CODEGEN_FREESTANDING_POWEROFTWO_H

#include <stdint.h>

namespace heddle::routine {

/// The largest power of two that is not above `value`, a finite number; 1 for
/// numbers that are too small to have one.
inline float powerOfTwo(float value) {
  uint32_t bits = __builtin_bit_cast(uint32_t, value) & 0x7f800000u;
  return bits ? __builtin_bit_cast(float, bits) : 1;
}
inline double powerOfTwo(double value) {
  uint64_t bits =
      __builtin_bit_cast(uint64_t, value) & UINT64_C(0x7ff0000000000000);
  return bits ? __builtin_bit_cast(double, bits) : 1;
}

} // namespace heddle::routine

#endif // HEDDLE_LIB_CODEGEN_FREESTANDING_POWEROFTWO_H
