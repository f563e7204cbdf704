// What intervals, divisors and assumptions prove of expressions for all sizes.

#include "dialects/Size/Ranges.h"

using namespace mlir;

namespace heddle::size {

/// An expression that is not negative just where `expression` is not, without a
/// quotient that is a term of it: r + floor(x / d) is not where x + d * r is
/// not, r - floor(x / d) where d * r + d - 1 - x is not. Nothing without such a
/// term.
static std::optional<Expression> withoutQuotient(Expression expression) {
  for (auto [coefficient, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    if (monomial.getFactors().size() != 1 ||
        (coefficient != 1 && coefficient != -1))
      continue;
    auto atom = dyn_cast<AtomAttr>(monomial.getFactors()[0]);
    if (!atom || atom.getFunction() != Function::FloorDiv)
      continue;
    std::optional<int64_t> divisor = Expression(atom.getRhs()).asConstant();
    if (!divisor)
      continue;
    Expression rest =
        expression - Expression(ExpressionAttr::get(expression.context(),
                                                    {coefficient}, {monomial}));
    Expression scaled = rest * *divisor, inside(atom.getLhs());
    Expression whole =
        coefficient == 1 ? scaled + inside : scaled + (*divisor - 1) - inside;
    if (whole)
      return whole;
  }
  return std::nullopt;
}

bool Ranges::isNeverNegative(Expression expression) const {
  if (!expression)
    return false;
  if (interval(expression).low >= 0)
    return true;
  for (Expression known : notNegative) {
    Expression beyond = expression - known;
    if (beyond && interval(beyond).low >= 0)
      return true;
    // count * (rows - count), of which rows - count is known.
    std::optional<Expression> times = expression.dividedExactly(known);
    if (times && interval(*times).low >= 0)
      return true;
  }
  if (notNegative.empty())
    return false; // Intervals look within quotients, too.
  std::optional<Expression> whole = withoutQuotient(expression);
  return whole && isNeverNegative(*whole);
}

std::optional<bool> Ranges::isZero(Expression expression) const {
  if (!expression)
    return std::nullopt;
  if (std::optional<int64_t> known = expression.asConstant())
    return *known == 0;
  if (Expression whole = withoutExactQuotients(expression);
      whole && whole.isConstant(0))
    return true;
  Interval values = interval(expression);
  if (values.low == 0 && values.high == 0)
    return true;
  if (!values.contains(0) || isAlwaysPositive(expression) ||
      isAlwaysPositive(-expression))
    return false;
  return std::nullopt;
}

std::optional<Expression> Ranges::improperDivisor(Expression expression) const {
  if (!expression)
    return std::nullopt;
  for (MonomialAttr monomial : expression.attribute().getMonomials())
    for (Attribute factor : monomial.getFactors()) {
      auto atom = dyn_cast<AtomAttr>(factor);
      if (!atom)
        continue;
      Expression rhs(atom.getRhs());
      if (atom.getFunction() == Function::FloorDiv && !isAlwaysPositive(rhs))
        return rhs;
      for (Expression part : {Expression(atom.getLhs()), rhs})
        if (std::optional<Expression> found = improperDivisor(part))
          return found;
    }
  return std::nullopt;
}

SymbolAttr Ranges::improperlyCounted(Expression expression) const {
  if (!expression)
    return {};
  for (MonomialAttr monomial : expression.attribute().getMonomials())
    for (Attribute factor : monomial.getFactors()) {
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        if (facts(symbol.getName()).multiple % symbol.getUnit())
          return symbol;
        continue;
      }
      auto atom = cast<AtomAttr>(factor);
      for (ExpressionAttr part : {atom.getLhs(), atom.getRhs()})
        if (SymbolAttr found = improperlyCounted(Expression(part)))
          return found;
    }
  return {};
}

} // namespace heddle::size
