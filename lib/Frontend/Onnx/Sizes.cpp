// Arithmetic on extents that are numbers, or follow from sizes which calls
// choose.

#include "Sizes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using heddle::size::Expression;

namespace heddle::onnx {

bool SizeScope::isComputed(Expression expression) const {
  return llvm::any_of(expression.symbols(), [&](StringRef name) {
    return llvm::any_of(
        computed, [&](const Computed &each) { return each.name == name; });
  });
}

Extent::Extent(Expression expression, SizeScope &owner) {
  expression = owner.ranges.simplified(expression);
  if (!expression) {
    owner.hasTooLong = true;
    number = 1;
    return;
  }
  if (std::optional<int64_t> known = expression.asConstant()) {
    number = *known;
    return;
  }
  scope = &owner;
  stored = expression;
  number = owner.ranges.interval(expression).high;
}

int64_t Extent::least() const {
  return scope ? scope->ranges.interval(stored).low : number;
}

Expression Extent::expression(MLIRContext *context) const {
  return scope ? stored : Expression::constant(context, number);
}

bool Extent::isSame(const Extent &other) const {
  return isKnown() == other.isKnown() &&
         (isKnown() ? number == other.number : stored == other.stored);
}

/// Computes with numbers or, if one of the operands is none, with expressions.
template <typename Numbers, typename Expressions>
static Extent combine(const Extent &a, const Extent &b, Numbers numbers,
                      Expressions expressions) {
  if (a.isKnown() && b.isKnown())
    return numbers(*a.known(), *b.known());
  SizeScope &scope = a.owner() ? *a.owner() : *b.owner();
  return Extent(
      expressions(a.expression(scope.context), b.expression(scope.context)),
      scope);
}

Extent operator+(const Extent &a, const Extent &b) {
  return combine(
      a, b, [](int64_t x, int64_t y) { return x + y; },
      [](Expression x, Expression y) { return x + y; });
}

Extent operator-(const Extent &a, const Extent &b) {
  return combine(
      a, b, [](int64_t x, int64_t y) { return x - y; },
      [](Expression x, Expression y) { return x - y; });
}

Extent operator*(const Extent &a, const Extent &b) {
  return combine(
      a, b, [](int64_t x, int64_t y) { return x * y; },
      [](Expression x, Expression y) { return x * y; });
}

Extent Extent::floorDiv(const Extent &divisor) const {
  return combine(
      *this, divisor,
      [](int64_t x, int64_t y) { return llvm::divideFloorSigned(x, y); },
      [](Expression x, Expression y) { return x.floorDiv(y); });
}

Extent Extent::ceilDiv(const Extent &divisor) const {
  return combine(
      *this, divisor,
      [](int64_t x, int64_t y) { return llvm::divideCeilSigned(x, y); },
      [](Expression x, Expression y) { return x.ceilDiv(y); });
}

std::optional<Extent> Extent::dividedBy(const Extent &divisor) const {
  if (divisor.is(0))
    return std::nullopt;
  if (isKnown() && divisor.isKnown())
    return number % divisor.number == 0
               ? std::optional(Extent(number / divisor.number))
               : std::nullopt;
  SizeScope &owner = scope ? *scope : *divisor.scope;
  if (std::optional<Expression> exact =
          expression(owner.context)
              .dividedExactly(divisor.expression(owner.context)))
    return Extent(*exact, owner);
  Extent quotient = floorDiv(divisor);
  return meet(quotient * divisor, *this) ? std::optional(quotient)
                                         : std::nullopt;
}

Extent Extent::isNegative() const {
  if (isKnown())
    return int64_t(number < 0);
  return Extent(Expression::isPositive(-stored), *scope);
}

Extent Extent::minimum(const Extent &a, const Extent &b) {
  return combine(
      a, b, [](int64_t x, int64_t y) { return std::min(x, y); },
      Expression::minimum);
}

Extent Extent::maximum(const Extent &a, const Extent &b) {
  return combine(
      a, b, [](int64_t x, int64_t y) { return std::max(x, y); },
      Expression::maximum);
}

bool Extent::isOneOf(const Extent &other) const {
  return !isKnown() && bound() == 1 && !other.isKnown() && !isSame(other) &&
         isSame(minimum(other, 1));
}

std::optional<bool> Extent::isLess(const Extent &a, const Extent &b) {
  if (a.isKnown() && b.isKnown())
    return a.number < b.number;
  SizeScope &scope = a.scope ? *a.scope : *b.scope;
  Expression gap = b.expression(scope.context) - a.expression(scope.context);
  if (scope.ranges.isAlwaysPositive(gap))
    return true;
  if (scope.ranges.isNeverNegative(-gap))
    return false;
  return std::nullopt;
}

std::optional<Extent> Extent::meet(const Extent &a, const Extent &b) {
  if (a.isSame(b))
    return a;
  if (a.isKnown() && b.isKnown())
    return std::nullopt;
  SizeScope &scope = a.scope ? *a.scope : *b.scope;
  Expression gap = scope.ranges.simplified(a.expression(scope.context) -
                                           b.expression(scope.context));
  if (!gap) {
    scope.hasTooLong = true;
    return a;
  }
  std::optional<bool> isZero = scope.ranges.isZero(gap);
  if (isZero == false)
    return std::nullopt;
  bool isTold =
      isZero == true || llvm::any_of(scope.assumptions, [&](const auto &each) {
        return each.isZero == gap || each.isZero == -gap;
      });
  // No call can be asked for what only its end tells.
  if (!isTold && scope.isComputed(gap)) {
    scope.undecided = a.text() + " = " + b.text();
    return std::nullopt;
  }
  if (!isTold)
    scope.assumptions.push_back({gap, a.text() + " = " + b.text(), scope.node});
  // A number says more, then what is never greater, then what is shorter.
  if (a.isKnown() || b.isKnown())
    return a.isKnown() ? a : b;
  if (a.bound() != b.bound())
    return a.bound() < b.bound() ? a : b;
  return a.text().size() <= b.text().size() ? a : b;
}

bool Extent::wantNotNegative(const Twine &text) const {
  if (isKnown())
    return number >= 0;
  if (scope->ranges.isNeverNegative(stored))
    return true;
  if (scope->ranges.isAlwaysPositive(-stored))
    return false;
  if (scope->isComputed(stored)) {
    scope->undecided = text.str();
    return false;
  }
  Expression broken = Expression::isPositive(-stored);
  if (!broken) {
    scope->hasTooLong = true;
    return true;
  }
  scope->assumptions.push_back({broken, text.str(), scope->node});
  scope->ranges.assumeNotNegative(stored);
  return true;
}

std::string Extent::text() const {
  return scope ? stored.text() : std::to_string(number);
}

SmallVector<int64_t, 6> Shape::bounds() const {
  return llvm::map_to_vector<6>(
      *this, [](const Extent &size) { return size.bound(); });
}

bool Shape::areSame(const Shape &other) const {
  return size() == other.size() &&
         llvm::all_of(llvm::zip_equal(*this, other), [](auto pair) {
           return std::get<0>(pair).isSame(std::get<1>(pair));
         });
}

bool Shape::meets(const Shape &other) const {
  return size() == other.size() &&
         llvm::all_of(llvm::zip_equal(*this, other), [](auto pair) {
           return Extent::meet(std::get<0>(pair), std::get<1>(pair))
               .has_value();
         });
}

Extent Shape::product() const {
  Extent result = 1;
  for (const Extent &each : *this)
    result *= each;
  return result;
}

std::string spellShape(const Shape &shape) {
  return llvm::join(
      llvm::map_range(shape, [](const Extent &size) { return size.text(); }),
      "x");
}

} // namespace heddle::onnx
