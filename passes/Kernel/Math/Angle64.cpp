// atan, atan2, asin and acos for f64.

#include "passes/Kernel/Math/Functions.h"
#include "passes/Math/Pair.h"

#include <limits>

using namespace mlir;

namespace heddle::float64 {

static constexpr double infinity = std::numeric_limits<double>::infinity();
static constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Multiples of pi / 4 in two parts.
static constexpr double quarterPi[][2] = {
    {0, 0},
    {0.7853981633974483, 3.061616997868383e-17},
    {1.5707963267948966, 6.123233995736766e-17},
    {2.356194490192345, 9.184850993605148e-17},
    {3.141592653589793, 1.2246467991473532e-16}};

/// The angle of (x, y) for x, y >= 0, or, where `left`, of (-x, y).
static Value angleOf(FloatBuilder &b, Pair x, Pair y, Value left = {}) {
  Value steep = b.greater(y.high, x.high);
  Pair small = select(b, steep, x, y), large = select(b, steep, y, x);
  // Above tan(pi/8) the angle from pi/4: (small - large) / (small + large).
  Value upper =
      b.greater(small.high, b.mul(large.high, b.c(0.41421356237309504880)));
  Pair top = select(b, upper, add(b, small, negate(b, large)), small);
  Pair bottom = select(b, upper, add(b, large, small), large);
  Pair w = divide(b, top, bottom);
  // w + w^3 A(w^2), 4.6e-20.
  Value square = b.mul(w.high, w.high);
  Value a = b.polynomial(square, {-0.33333333333333326, 0.1999999999999767,
                                  -0.1428571428538813, 0.11111111088184945,
                                  -0.0909090814477195, 0.07692282763846452,
                                  -0.06666226829388613, 0.05877022459804092,
                                  -0.0521840837423688, 0.04503564531180016,
                                  -0.03347478321167795, 0.015195459183911452});
  Value tail = b.mul(b.mul(square, w.high), a);
  if (w.low)
    tail = b.add(tail, b.fma(b.neg(square), w.low, w.low));
  // The angle is that or less than a multiple of pi/4.
  auto number = [&](int part) {
    auto c = [&](int multiple) { return b.c(quarterPi[multiple][part]); };
    Value near =
        b.select(steep, c(2), left ? b.select(left, c(4), c(0)) : c(0));
    Value diagonal = left ? b.select(left, c(3), c(1)) : c(1);
    return b.select(upper, diagonal, near);
  };
  auto signedPart = [&](Value part) {
    Value value = b.select(steep, b.neg(part), part);
    return left ? b.select(left, b.neg(value), value) : value;
  };
  if (!b.compensates)
    return b.add(number(0), signedPart(b.add(w.high, tail)));
  Pair sum = orderedSum(b, number(0), signedPart(w.high));
  Value low = b.add(number(1), signedPart(tail));
  return b.add(sum.high, b.add(sum.low, low));
}

Value atan(FloatBuilder &b, Value x) {
  Value size = b.abs(x);
  // Beyond, and at infinity, pi/2 less nothing.
  Value bounded = b.atMost(size, b.c(0x1p100));
  return b.copySign(angleOf(b, {b.c(1), {}}, {bounded, {}}), x);
}

Value atan2(FloatBuilder &b, Value y, Value x) {
  Value width = b.abs(x), height = b.abs(y);
  Value steep = b.greater(height, width);
  Value large = b.select(steep, height, width);
  // Sums must not overflow, remainders not vanish.
  auto scaled = [&](Value size) {
    Value value = b.select(b.greater(large, b.c(0x1p900)),
                           b.mul(size, b.c(0x1p-200)), size);
    return b.select(b.less(large, b.c(0x1p-900)), b.mul(size, b.c(0x1p120)),
                    value);
  };
  Value infinite = b.equal(large, b.c(infinity));
  Value zero = b.equal(large, b.c(0));
  // Of infinities and zeros only the direction counts.
  auto direction = [&](Value size, Value ofZero) {
    Value one = b.select(b.equal(size, b.c(infinity)), b.c(1), b.c(0));
    Value value = b.select(infinite, one, scaled(size));
    return b.select(zero, ofZero, value);
  };
  Value left = b.less(b.copySign(b.c(1), x), b.c(0));
  Value a = angleOf(b, {direction(width, b.c(1)), {}},
                    {direction(height, b.c(0)), {}}, left);
  a = b.select(b.either(b.isNan(x), b.isNan(y)), b.c(nan), a);
  return b.copySign(a, y);
}

/// sqrt(1 - x^2).
static Pair cosineOfSine(FloatBuilder &b, Value x) {
  if (!b.compensates)
    return {b.sqrt(b.mul(b.sub(b.c(1), x), b.add(b.c(1), x))), {}};
  return root(b, add(b, {b.c(1), {}}, negate(b, exactProduct(b, x, x))));
}

Value asin(FloatBuilder &b, Value x) {
  return b.copySign(angleOf(b, cosineOfSine(b, x), {b.abs(x), {}}), x);
}

Value acos(FloatBuilder &b, Value x) {
  return angleOf(b, {b.abs(x), {}}, cosineOfSine(b, x), b.less(x, b.c(0)));
}

} // namespace heddle::float64
