/* fmod and fmodf, exact: the remainder of the mantissas, one bit of quotient at
   a time. C17 7.12.10.1, annex F.10.7.1. */
#include <stdint.h>

#define REMAINDER(name, type, bits_type, mantissa, top)                        \
  type name(type x, type y) {                                                  \
    const bits_type one = 1, implicit = one << (mantissa);                     \
    const bits_type sign = one << (8 * sizeof(type) - 1);                      \
    bits_type a, b;                                                            \
    __builtin_memcpy(&a, &x, sizeof a);                                        \
    __builtin_memcpy(&b, &y, sizeof b);                                        \
    bits_type negative = a & sign;                                             \
    a &= ~sign;                                                                \
    b &= ~sign;                                                                \
    /* NaN operand, infinite dividend, zero divisor. */                        \
    if (b == 0 || a >= (bits_type)(top) << (mantissa) ||                       \
        b > (bits_type)(top) << (mantissa))                                    \
      return (x * y) / (x * y);                                                \
    if (a < b)                                                                 \
      return x;                                                                \
    int ea = (int)(a >> (mantissa)), eb = (int)(b >> (mantissa));              \
    bits_type ma = a & (implicit - 1), mb = b & (implicit - 1);                \
    if (ea)                                                                    \
      ma |= implicit;                                                          \
    else                                                                       \
      ea = 1;                                                                  \
    if (eb)                                                                    \
      mb |= implicit;                                                          \
    else                                                                       \
      eb = 1;                                                                  \
    for (; ea > eb; --ea) {                                                    \
      if (ma >= mb)                                                            \
        ma -= mb;                                                              \
      ma <<= 1;                                                                \
    }                                                                          \
    if (ma >= mb)                                                              \
      ma -= mb;                                                                \
    if (ma) {                                                                  \
      while (ma < implicit && ea > 1) {                                        \
        ma <<= 1;                                                              \
        --ea;                                                                  \
      }                                                                        \
      ma = ma < implicit                                                       \
               ? ma                                                            \
               : (ma & (implicit - 1)) | (bits_type)ea << (mantissa);          \
    }                                                                          \
    ma |= negative;                                                            \
    type result;                                                               \
    __builtin_memcpy(&result, &ma, sizeof result);                             \
    return result;                                                             \
  }

REMAINDER(fmodf, float, uint32_t, 23, 255)
REMAINDER(fmod, double, uint64_t, 52, 2047)
