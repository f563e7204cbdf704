// Expressions whose symbols are given: other expressions, or numbers.

#include "dialects/Size/Expression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::size {

/// What the units of a symbol are, where `value` is what the symbol is.
static Expression unitsOf(Expression value, int64_t unit) {
  if (!value || unit == 1)
    return value;
  MLIRContext *context = value.context();
  if (auto exact = value.dividedExactly(Expression::constant(context, unit)))
    return *exact;
  if (std::optional<StringRef> name = value.asSymbol())
    return Expression::units(context, *name, unit);
  return value.floorDiv(unit);
}

Expression
Expression::substituted(llvm::function_ref<Expression(StringRef)> of) const {
  if (!stored)
    return {};
  Expression sum = constant(context(), 0);
  for (auto [coefficient, monomial] :
       llvm::zip_equal(stored.getCoefficients(), stored.getMonomials())) {
    Expression term = constant(context(), coefficient);
    for (Attribute factor : monomial.getFactors()) {
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        term = term * unitsOf(of(symbol.getName()), symbol.getUnit());
        continue;
      }
      auto function = cast<AtomAttr>(factor);
      Expression lhs = Expression(function.getLhs()).substituted(of);
      Expression rhs = Expression(function.getRhs()).substituted(of);
      switch (function.getFunction()) {
      case Function::FloorDiv:
        term = term * lhs.floorDiv(rhs);
        break;
      case Function::Minimum:
        term = term * minimum(lhs, rhs);
        break;
      case Function::IsPositive:
        term = term * isPositive(lhs);
        break;
      case Function::IsZero:
        term = term * isZero(lhs);
        break;
      }
    }
    sum = sum + term;
  }
  return sum;
}

std::optional<int64_t> Expression::evaluated(
    llvm::function_ref<std::optional<int64_t>(StringRef)> of) const {
  if (!stored)
    return std::nullopt;
  int64_t sum = 0;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(stored.getCoefficients(), stored.getMonomials())) {
    int64_t term = coefficient;
    for (Attribute factor : monomial.getFactors()) {
      std::optional<int64_t> value;
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        value = of(symbol.getName());
        if (value && *value % symbol.getUnit())
          return std::nullopt;
        if (value)
          *value /= symbol.getUnit();
      } else {
        auto function = cast<AtomAttr>(factor);
        std::optional<int64_t> lhs =
            Expression(function.getLhs()).evaluated(of);
        std::optional<int64_t> rhs =
            Expression(function.getRhs()).evaluated(of);
        if (!lhs || !rhs)
          return std::nullopt;
        switch (function.getFunction()) {
        case Function::FloorDiv:
          if (*rhs <= 0)
            return std::nullopt;
          value = llvm::divideFloorSigned(*lhs, *rhs);
          break;
        case Function::Minimum:
          value = std::min(*lhs, *rhs);
          break;
        case Function::IsPositive:
          value = *lhs > 0;
          break;
        case Function::IsZero:
          value = *lhs == 0;
          break;
        }
      }
      if (!value || llvm::MulOverflow(term, *value, term))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return sum;
}

void Expression::forSymbols(llvm::function_ref<void(StringRef)> visit) const {
  if (!stored)
    return;
  for (MonomialAttr monomial : stored.getMonomials())
    for (Attribute factor : monomial.getFactors()) {
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        visit(symbol.getName());
        continue;
      }
      auto function = cast<AtomAttr>(factor);
      Expression(function.getLhs()).forSymbols(visit);
      Expression(function.getRhs()).forSymbols(visit);
    }
}

SmallVector<StringRef> Expression::symbols() const {
  SmallVector<StringRef> names;
  forSymbols([&](StringRef name) { names.push_back(name); });
  llvm::sort(names);
  names.erase(llvm::unique(names), names.end());
  return names;
}

} // namespace heddle::size
