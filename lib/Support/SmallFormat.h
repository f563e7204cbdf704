// Floats of at most eight bits, by tables.

#ifndef HEDDLE_LIB_SUPPORT_SMALLFORMAT_H
#define HEDDLE_LIB_SUPPORT_SMALLFORMAT_H

#include "heddle/Support/ElementKind.h"

#include <array>
#include <vector>

namespace heddle {

/// A format of at most 256 values, as APFloat has it. Rounding is a search
/// between two neighbours; which way a tie or an overflow goes was asked of
/// APFloat once.
class SmallFormat {
public:
  explicit SmallFormat(ElementKind kind);
  /// The number that the low bits of `bits` are.
  double value(uint8_t bits) const { return values[bits & mask]; }
  /// The bits of `value` rounded to the format.
  uint8_t bits(double value) const;

private:
  unsigned mask;
  std::array<double, 256> values;
  /// Finite magnitudes in ascending order with their codes.
  std::vector<double> magnitudes;
  std::vector<uint8_t> codes;
  /// Between magnitude i and the next (beyond the last: where overflow starts),
  /// and which code the midpoint itself takes.
  std::vector<double> middles;
  std::vector<uint8_t> middleCodes;
  uint8_t overflow, infinity, nan, signBit, negativeZero;
  bool isSigned;
};

/// The format of a float kind of at most eight bits.
const SmallFormat &smallFormat(ElementKind kind);

} // namespace heddle

#endif // HEDDLE_LIB_SUPPORT_SMALLFORMAT_H
