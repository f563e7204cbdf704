// sin, cos and tan of f32, for every argument, in f64.
//
// Large arguments need many bits of 2/pi (Payne and Hanek, SIGNUM Newsletter,
// 1983): x = m 2^q with q a multiple of 8 and m an integer below 2^32, and then
// m times (2^q 2/pi mod 4) is the number of quarter turns, up to whole turns.

#include "passes/Kernel/Math/Functions.h"

#include <cmath>
#include <iterator>

using namespace mlir;

namespace heddle::float32 {

using float64::QuarterTurns;

/// 2^q 2/pi mod 4 for q = 0, 8, ..., 104, in three parts: a multiple of 2^-18,
/// one of 2^-38 and the rest. Products with 32-bit integers are exact for the
/// first two.
static constexpr double turns[][3] = {
    {0x1.45f3p-1, 0x1.b726p-23, 0x1.220a94fe13abfp-39},
    {0x1.7cc1ap+1, 0x1.72722p-19, 0x1.529fc2757d1f5p-44},
    {0x1.836e4p+0, 0x1.c8828p-21, 0x1.29fc2757d1f53p-40},
    {0x1.b7272p+1, 0x1.054ap-22, 0x1.fc2757d1f534ep-40},
    {0x1.2722p+1, 0x1.529fcp-20, 0x1.3abe8fa9a6ee0p-43},
    {0x1.220a8p+1, 0x1.4fe12p-19, 0x1.abe8fa9a6ee07p-39},
    {0x1.529cp-4, 0x1.e13aap-19, 0x1.e8fa9a6ee06dbp-39},
    {0x1.29fcp+0, 0x1.3abe8p-19, 0x1.f534ddc0db629p-40},
    {0x1.fc274p+0, 0x1.7d1f4p-20, 0x1.34ddc0db6295ap-40},
    {0x1.3abep-3, 0x1.1f534p-20, 0x1.bb81b6c52b328p-41},
    {0x1.abe8ep+1, 0x1.a9a6ep-19, 0x1.c0db6295993c4p-40},
    {0x1.e8fa8p+1, 0x1.a6eep-19, 0x1.b6c52b3278872p-41},
    {0x1.f534cp+0, 0x1.dc0d8p-20, 0x1.b14acc9e21c82p-39},
    {0x1.34ddcp+0, 0x1.b6cp-25, 0x1.4acc9e21c8210p-39},
};

/// `x` minus the nearest multiple of 4.
static Value withoutTurns(FloatBuilder &b, Value x) {
  return b.fma(b.nearest(x, 0.25).first, b.c(-4), x);
}

static QuarterTurns reduceLarge(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  Value scale = b.c(1);
  SmallVector<Value> parts = {b.c(turns[0][0]), b.c(turns[0][1]),
                              b.c(turns[0][2])};
  for (int row = 1; row < static_cast<int>(std::size(turns)); ++row) {
    // From here on x / 2^q is an integer, of 24 to 32 bits.
    Value here = b.less(b.c(std::ldexp(1.0, 23 + 8 * row)), size);
    scale = b.select(here, b.c(std::ldexp(1.0, -8 * row)), scale);
    for (int part = 0; part < 3; ++part)
      parts[part] = b.select(here, b.c(turns[row][part]), parts[part]);
  }
  Value m = b.mul(x, scale);
  Value sum = b.add(withoutTurns(b, b.mul(m, parts[0])),
                    withoutTurns(b, b.mul(m, parts[1])));
  auto [whole, count] = b.nearest(sum, 1);
  Value rest = b.fma(m, parts[2], b.sub(sum, whole));
  return {b.mul(rest, b.c(1.57079632679489661923)), {}, count};
}

/// Computes `function` of the angle of `x` in f64.
static Value
throughAngle(FloatBuilder &b, Value x,
             llvm::function_ref<Value(FloatBuilder &, QuarterTurns)> function) {
  FloatBuilder wide = b.inDouble();
  Value argument = arith::ExtFOp::create(b.builder, b.loc, wide.type(), x);
  Value value =
      function(wide, float64::reduceAnyArgument(wide, argument, reduceLarge));
  return arith::TruncFOp::create(b.builder, b.loc, b.type(), value);
}

Value sin(FloatBuilder &b, Value x) {
  Value value = throughAngle(b, x, [](FloatBuilder &wide, QuarterTurns angle) {
    return float64::sineOf(wide, angle, 0);
  });
  return b.select(b.equal(x, b.c(0)), x, value);
}

Value cos(FloatBuilder &b, Value x) {
  return throughAngle(b, x, [](FloatBuilder &wide, QuarterTurns angle) {
    return float64::sineOf(wide, angle, 1);
  });
}

Value tan(FloatBuilder &b, Value x) {
  Value value = throughAngle(b, x, [](FloatBuilder &wide, QuarterTurns angle) {
    return wide.div(float64::sineOf(wide, angle, 0),
                    float64::sineOf(wide, angle, 1));
  });
  return b.select(b.equal(x, b.c(0)), x, value);
}

} // namespace heddle::float32
