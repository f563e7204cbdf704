// T. J. Dekker, A floating-point technique for extending the available
// precision (Numer. Math. 18, 1971).

#include "passes/Math/Pair.h"

using namespace mlir;

namespace heddle {

/// The sum of what is there.
static Value sumOf(FloatBuilder &b, Value x, Value y) {
  return x && y ? b.add(x, y) : x ? x : y;
}

Pair exactSum(FloatBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y);
  if (!b.compensates)
    return {sum, {}};
  Value second = b.sub(sum, x);
  Value first = b.sub(sum, second);
  return {sum, b.add(b.sub(x, first), b.sub(y, second))};
}

Pair orderedSum(FloatBuilder &b, Value x, Value y) {
  Value sum = b.add(x, y);
  if (!b.compensates)
    return {sum, {}};
  return {sum, b.sub(y, b.sub(sum, x))};
}

Pair exactProduct(FloatBuilder &b, Value x, Value y) {
  if (!b.compensates)
    return {b.mul(x, y), {}};
  auto [high, low] = b.exactProduct(x, y);
  return {high, low};
}

Pair addLow(FloatBuilder &b, Pair x, Value low) {
  if (b.compensates)
    x.low = sumOf(b, x.low, low);
  return x;
}

Pair add(FloatBuilder &b, Pair x, Pair y) {
  return addLow(b, exactSum(b, x.high, y.high), sumOf(b, x.low, y.low));
}

Pair multiply(FloatBuilder &b, Pair x, Pair y) {
  Pair product = exactProduct(b, x.high, y.high);
  if (y.low)
    product = addLow(b, product, b.mul(x.high, y.low));
  if (x.low)
    product = addLow(b, product, b.mul(x.low, y.high));
  return product;
}

Pair divide(FloatBuilder &b, Pair x, Pair y) {
  Value quotient = b.div(x.high, y.high);
  if (!b.compensates)
    return {quotient, {}};
  auto [high, low] = b.exactProduct(quotient, y.high);
  Value rest = b.sub(b.sub(x.high, high), low);
  rest = sumOf(b, rest, x.low);
  if (y.low)
    rest = b.fma(b.neg(quotient), y.low, rest);
  return {quotient, b.div(rest, y.high)};
}

Pair root(FloatBuilder &b, Pair x) {
  Value root = b.sqrt(x.high);
  if (!b.compensates)
    return {root, {}};
  auto [high, low] = b.exactProduct(root, root);
  Value rest = sumOf(b, b.sub(b.sub(x.high, high), low), x.low);
  Value missing = b.div(rest, b.add(root, root));
  return {root, b.select(b.equal(root, b.c(0)), b.c(0), missing)};
}

Pair negate(FloatBuilder &b, Pair x) {
  return {b.neg(x.high), x.low ? b.neg(x.low) : Value()};
}

Pair select(FloatBuilder &b, Value condition, Pair x, Pair y) {
  Pair value{b.select(condition, x.high, y.high), {}};
  if (x.low || y.low)
    value.low =
        b.select(condition, x.low ? x.low : b.c(0), y.low ? y.low : b.c(0));
  return value;
}

Value evaluate(FloatBuilder &b, Pair x) { return sumOf(b, x.high, x.low); }

} // namespace heddle
