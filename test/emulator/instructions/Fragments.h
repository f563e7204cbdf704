// Where the elements of small matrices lie in the registers of a warp, by the
// tables of the PTX ISA, and what their bits mean.

#ifndef HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FRAGMENTS_H
#define HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FRAGMENTS_H

#include "test/emulator/machine/Formats.h"

namespace heddle::emulator {

struct Place {
  unsigned row, column;
};

/// The element `j` of register `i` of lane `lane`, where a register holds `per`
/// elements; `tall` matrices have 16 rows, the others 8.
inline Place placeOfA(unsigned lane, unsigned i, unsigned j, unsigned per,
                      bool tall) {
  unsigned high = tall ? i & 1 : 0, chunk = tall ? i >> 1 : i;
  return {lane / 4 + 8 * high, lane % 4 * per + j + 4 * per * chunk};
}
inline Place placeOfB(unsigned lane, unsigned i, unsigned j, unsigned per) {
  return {lane % 4 * per + j + 4 * per * i, lane / 4};
}
/// Of the number `i` among a lane's results in 8 columns.
inline Place placeOfC(unsigned lane, unsigned i) {
  return {lane / 4 + 8 * (i >> 1), lane % 4 * 2 + (i & 1)};
}

/// The value of an element of a product.
inline float floatOf(Type type, uint32_t bits) {
  switch (type) {
  case Type::F16:
    return halfToFloat(uint16_t(bits));
  case Type::BF16:
    return bfloatToFloat(uint16_t(bits));
  case Type::E4M3:
    return float(decode(bits & 0xff, kE4M3));
  case Type::E5M2:
    return float(decode(bits & 0xff, kE5M2));
  case Type::TF32: // the low bits of the mantissa are not looked at
    return bitCast<float>(bits & 0xffffe000);
  default:
    return bitCast<float>(bits);
  }
}

} // namespace heddle::emulator

#endif // HEDDLE_TEST_EMULATOR_INSTRUCTIONS_FRAGMENTS_H
