/* Conversions to and from 16-bit floats, rounding to nearest even. LLVM calls
   them where the instruction set has none. NaN stays NaN (made quiet, sign and
   leading payload kept). */
#include <stdint.h>

#define BITS(type, value, bits_type)                                           \
  ({                                                                           \
    type from_ = (value);                                                      \
    bits_type to_;                                                             \
    __builtin_memcpy(&to_, &from_, sizeof to_);                                \
    to_;                                                                       \
  })

/* `bits` without its `drop` lowest bits, rounded to nearest even. */
static uint64_t roundOff(uint64_t bits, int drop) {
  uint64_t half = (uint64_t)1 << (drop - 1);
  uint64_t odd = (bits >> drop) & 1;
  return (bits + half - 1 + odd) >> drop;
}

/* A float with `mantissa` mantissa bits and exponent bias `bias`, its sign
   removed, rounded to a 16-bit float. */
static uint16_t narrow(uint64_t bits, int mantissa, int bias, int toMantissa,
                       int toBias) {
  int drop = mantissa - toMantissa;
  int exponent = (int)(bits >> mantissa);
  uint64_t fraction = bits & (((uint64_t)1 << mantissa) - 1);
  int toTop = 2 * toBias + 1;
  if (exponent == 2 * bias + 1)
    return (
        uint16_t)((toTop << toMantissa) |
                  (fraction ? (1 << (toMantissa - 1)) | fraction >> drop : 0));
  int toExponent = exponent - bias + toBias;
  if (toExponent >= toTop)
    return (uint16_t)(toTop << toMantissa);
  if (toExponent > 0)
    return (uint16_t)roundOff(((uint64_t)toExponent << mantissa) | fraction,
                              drop);
  /* Subnormal: the implicit bit is written out and moved down. */
  int shift = drop + 1 - toExponent;
  if (exponent == 0)
    shift = drop + bias - toBias;
  else
    fraction |= (uint64_t)1 << mantissa;
  return shift > mantissa + 1 ? 0 : (uint16_t)roundOff(fraction, shift);
}

__bf16 __truncsfbf2(float value) {
  uint32_t bits = BITS(float, value, uint32_t);
  uint16_t sign = (bits >> 16) & 0x8000;
  return BITS(uint16_t, sign | narrow(bits & 0x7fffffff, 23, 127, 7, 127),
              __bf16);
}

__bf16 __truncdfbf2(double value) {
  uint64_t bits = BITS(double, value, uint64_t);
  uint16_t sign = (bits >> 48) & 0x8000;
  return BITS(uint16_t,
              sign | narrow(bits & ~((uint64_t)1 << 63), 52, 1023, 7, 127),
              __bf16);
}

_Float16 __truncsfhf2(float value) {
  uint32_t bits = BITS(float, value, uint32_t);
  uint16_t sign = (bits >> 16) & 0x8000;
  return BITS(uint16_t, sign | narrow(bits & 0x7fffffff, 23, 127, 10, 15),
              _Float16);
}

_Float16 __truncdfhf2(double value) {
  uint64_t bits = BITS(double, value, uint64_t);
  uint16_t sign = (bits >> 48) & 0x8000;
  return BITS(uint16_t,
              sign | narrow(bits & ~((uint64_t)1 << 63), 52, 1023, 10, 15),
              _Float16);
}

float __extendhfsf2(_Float16 value) {
  uint16_t bits = BITS(_Float16, value, uint16_t);
  uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
  uint32_t exponent = (bits >> 10) & 31, fraction = bits & 1023;
  if (exponent == 31)
    return BITS(uint32_t,
                sign | 0x7f800000 | fraction << 13 | (fraction ? 1u << 22 : 0),
                float);
  if (exponent == 0) {
    /* Zero or subnormal: fraction * 2^-24 is exact. */
    float magnitude = (float)fraction * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return BITS(uint32_t, sign | (exponent + 112) << 23 | fraction << 13, float);
}
