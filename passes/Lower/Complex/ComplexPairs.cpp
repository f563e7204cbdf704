// Unevaluated sums of two numbers in the graph, which has no fused
// multiply-add (T. J. Dekker, Numer. Math. 18, 1971).

#include "passes/Lower/Complex/ComplexFunctions.h"

using namespace mlir;

namespace heddle {

std::pair<Value, Value> ComplexMath::twoSum(Value x, Value y) {
  Value sum = b.add(x, y);
  Value second = b.sub(sum, x);
  Value first = b.sub(sum, second);
  return {sum, b.add(b.sub(x, first), b.sub(y, second))};
}

ComplexMath::Pair ComplexMath::exactSum(Value x, Value y) {
  if (single)
    return {b.add(x, y), {}};
  auto [high, low] = twoSum(x, y);
  return {high, low};
}

/// With Veltkamp's halves, for |x|, |y| far from the ends of the range.
ComplexMath::Pair ComplexMath::exactProduct(Value x, Value y) {
  Value product = b.mul(x, y);
  if (single)
    return {product, {}};
  auto halves = [&](Value v) {
    Value t = b.mul(v, 0x1p27 + 1);
    Value high = b.sub(t, b.sub(t, v));
    return std::pair(high, b.sub(v, high));
  };
  auto [xHigh, xLow] = halves(x);
  auto [yHigh, yLow] = halves(y);
  Value rest = b.sub(b.mul(xHigh, yHigh), product);
  rest = b.add(rest, b.mul(xHigh, yLow));
  rest = b.add(rest, b.mul(xLow, yHigh));
  return {product, b.add(rest, b.mul(xLow, yLow))};
}

ComplexMath::Pair ComplexMath::add(Pair x, Pair y) {
  Pair sum = exactSum(x.high, y.high);
  if (sum.low)
    sum.low = b.add(sum.low, b.add(x.low, y.low));
  return sum;
}

ComplexMath::Pair ComplexMath::multiply(Pair x, Pair y) {
  Pair product = exactProduct(x.high, y.high);
  if (product.low)
    product.low =
        b.add(product.low, b.add(b.mul(x.high, y.low), b.mul(x.low, y.high)));
  return product;
}

ComplexMath::Pair ComplexMath::divide(Pair x, Pair y) {
  Value quotient = b.div(x.high, y.high);
  if (single)
    return {quotient, {}};
  Pair product = exactProduct(quotient, y.high);
  Value rest = b.sub(b.sub(x.high, product.high), product.low);
  rest = b.sub(b.add(rest, x.low), b.mul(quotient, y.low));
  return {quotient, b.div(rest, y.high)};
}

ComplexMath::Pair ComplexMath::root(Pair x) {
  Value root = b.sqrt(x.high);
  if (single)
    return {root, {}};
  Pair square = exactProduct(root, root);
  Value missing = b.sub(b.sub(x.high, square.high), square.low);
  missing = b.div(b.add(missing, x.low), b.add(root, root));
  return {root, b.select(b.isZero(root), b.c(0), missing)};
}

ComplexMath::Pair ComplexMath::negate(Pair x) {
  return {b.neg(x.high), x.low ? b.neg(x.low) : Value()};
}

ComplexMath::Pair ComplexMath::scaledBy(Pair x, double powerOfTwo) {
  return {b.mul(x.high, powerOfTwo),
          x.low ? b.mul(x.low, powerOfTwo) : Value()};
}

} // namespace heddle
