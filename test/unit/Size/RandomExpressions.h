// Random expressions beside the functions that they stand for.

#ifndef HEDDLE_TEST_UNIT_SIZE_RANDOMEXPRESSIONS_H
#define HEDDLE_TEST_UNIT_SIZE_RANDOMEXPRESSIONS_H

#include "dialects/Size/Expression.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/MathExtras.h"

#include <functional>
#include <random>
#include <vector>

namespace heddle::size {

/// Values of the symbols a, b, c, d.
using Point = std::vector<int64_t>;

inline const char *const kNames[] = {"a", "b", "c", "d"};

/// An expression, and what it is at a point by plain arithmetic.
struct Sampled {
  Expression expression;
  std::function<int64_t(const Point &)> value;
};

/// The expression's value at a point; nothing as `evaluated`.
inline std::optional<int64_t> at(Expression expression, const Point &point) {
  return expression.evaluated(
      [&](llvm::StringRef name) -> std::optional<int64_t> {
        return point[name[0] - 'a'];
      });
}

class RandomExpressions {
public:
  RandomExpressions(mlir::MLIRContext *context, unsigned seed)
      : context(context), random(seed) {}

  int64_t number(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  Sampled make(unsigned depth) {
    if (depth == 0 || number(0, 9) == 0) {
      if (number(0, 2) == 0) {
        int64_t value = number(-9, 9);
        return {Expression::constant(context, value),
                [=](const Point &) { return value; }};
      }
      int64_t symbol = number(0, 3);
      return {Expression::symbol(context, kNames[symbol]),
              [=](const Point &point) { return point[symbol]; }};
    }
    Sampled x = make(depth - 1);
    int64_t divisor = number(1, 8);
    switch (number(0, 9)) {
    case 0:
      return {x.expression.floorDiv(divisor), [=](const Point &p) {
                return llvm::divideFloorSigned(x.value(p), divisor);
              }};
    case 1:
      return {x.expression.ceilDiv(divisor), [=](const Point &p) {
                return llvm::divideCeilSigned(x.value(p), divisor);
              }};
    case 2:
      return {x.expression.mod(divisor),
              [=](const Point &p) { return llvm::mod(x.value(p), divisor); }};
    default:
      return combine(x, make(depth - 1));
    }
  }

private:
  Sampled combine(const Sampled &x, const Sampled &y) {
    switch (number(0, 8)) {
    case 0:
    case 1:
      return {x.expression + y.expression,
              [=](const Point &p) { return x.value(p) + y.value(p); }};
    case 2:
    case 3:
      return {x.expression - y.expression,
              [=](const Point &p) { return x.value(p) - y.value(p); }};
    case 4:
      return {x.expression * y.expression,
              [=](const Point &p) { return x.value(p) * y.value(p); }};
    case 5:
      return {Expression::minimum(x.expression, y.expression),
              [=](const Point &p) { return std::min(x.value(p), y.value(p)); }};
    case 6:
      return {Expression::maximum(x.expression, y.expression),
              [=](const Point &p) { return std::max(x.value(p), y.value(p)); }};
    case 7:
      return {
          Expression::less(x.expression, y.expression),
          [=](const Point &p) -> int64_t { return x.value(p) < y.value(p); }};
    default:
      return {
          Expression::equal(x.expression, y.expression),
          [=](const Point &p) -> int64_t { return x.value(p) == y.value(p); }};
    }
  }

  mlir::MLIRContext *context;
  std::mt19937 random;
};

} // namespace heddle::size

#endif // HEDDLE_TEST_UNIT_SIZE_RANDOMEXPRESSIONS_H
