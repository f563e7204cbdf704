// Double arithmetic under the four directions of rounding, by those of the
// host's processor. Compiled with -frounding-math.

#include "test/emulator/instructions/Arithmetic.h"

#include <cfenv>
#include <cmath>

namespace heddle::emulator {

double roundedDouble(DoubleOp op, double a, double b, double c,
                     Rounding rounding) {
  static constexpr int kDirections[] = {FE_TONEAREST, FE_TOWARDZERO,
                                        FE_DOWNWARD, FE_UPWARD, FE_TONEAREST};
  volatile double x = a, y = b, z = c, result = 0;
  int before = std::fegetround();
  std::fesetround(kDirections[unsigned(rounding)]);
  switch (op) {
  case DoubleOp::Add:
    result = x + y;
    break;
  case DoubleOp::Sub:
    result = x - y;
    break;
  case DoubleOp::Mul:
    result = x * y;
    break;
  case DoubleOp::Fma:
    result = std::fma(x, y, z);
    break;
  case DoubleOp::Div:
    result = x / y;
    break;
  case DoubleOp::Rcp:
    result = 1 / x;
    break;
  case DoubleOp::Sqrt:
    result = std::sqrt(x);
    break;
  }
  std::fesetround(before);
  return result;
}

} // namespace heddle::emulator
