// What divides all values of an expression, and quotients that are exact by it.

#include "dialects/Size/Ranges.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace heddle::size {

uint64_t Ranges::divisor(Expression expression) const {
  if (!expression)
    return 1;
  uint64_t common = 0;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    uint64_t term = llvm::AbsoluteValue(coefficient);
    for (Attribute factor : monomial.getFactors()) {
      uint64_t known = 1;
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        uint64_t whole = facts(symbol.getName()).multiple;
        if (whole % symbol.getUnit() == 0)
          known = whole / symbol.getUnit();
      } else if (auto atom = cast<AtomAttr>(factor);
                 atom.getFunction() == Function::Minimum) {
        known = divisor(Expression(atom.getLhs()));
      } else if (atom.getFunction() == Function::FloorDiv) {
        std::optional<int64_t> by = Expression(atom.getRhs()).asConstant();
        uint64_t whole = divisor(Expression(atom.getLhs()));
        if (by && whole % uint64_t(*by) == 0)
          known = whole / uint64_t(*by);
      }
      uint64_t product = 0;
      // Any divisor will do.
      if (!__builtin_mul_overflow(term, known, &product))
        term = product;
    }
    common = std::gcd(common, term);
  }
  return common;
}

std::optional<int64_t> Ranges::exactlyDividedBy(Attribute factor) const {
  auto atom = dyn_cast<AtomAttr>(factor);
  if (!atom || atom.getFunction() != Function::FloorDiv)
    return std::nullopt;
  std::optional<int64_t> by = Expression(atom.getRhs()).asConstant();
  if (!by || divisor(Expression(atom.getLhs())) % uint64_t(*by))
    return std::nullopt;
  return by;
}

Expression Ranges::withoutExactQuotients(Expression expression) const {
  MLIRContext *context = expression.context();
  Expression sum = Expression::constant(context, 0);
  // What `sum` is a multiple by.
  int64_t common = 1;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    Expression term = Expression::constant(context, coefficient);
    int64_t divided = 1;
    for (Attribute factor : monomial.getFactors()) {
      int64_t by = 1;
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        by = symbol.getUnit();
        term = term * Expression::symbol(context, symbol.getName());
      } else if (std::optional<int64_t> exact = exactlyDividedBy(factor)) {
        by = *exact;
        term = term * Expression(cast<AtomAttr>(factor).getLhs());
      } else {
        term =
            term * Expression(ExpressionAttr::get(
                       context, {1}, {MonomialAttr::get(context, {factor})}));
      }
      if (llvm::MulOverflow(divided, by, divided))
        return {};
    }
    int64_t both = common / std::gcd(common, divided);
    if (llvm::MulOverflow(both, divided, both))
      return {};
    sum = sum * (both / common) + term * (both / divided);
    common = both;
  }
  return sum;
}

} // namespace heddle::size
