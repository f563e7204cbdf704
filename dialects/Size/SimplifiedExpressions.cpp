// Expressions without the functions that ranges decide, and with symbols
// counted in what they are multiples of.

#include "dialects/Size/IntervalEnds.h"
#include "dialects/Size/Ranges.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::size {

Expression Ranges::simplifiedAtom(AtomAttr atom) const {
  MLIRContext *context = atom.getContext();
  Expression lhs = simplified(Expression(atom.getLhs()));
  Interval values = interval(lhs);
  switch (atom.getFunction()) {
  case Function::FloorDiv: {
    Expression rhs = simplified(Expression(atom.getRhs()));
    if (!lhs || !rhs)
      return {};
    std::optional<int64_t> divisor = rhs.asConstant();
    if (!divisor)
      return lhs.floorDiv(rhs);
    if (!isEnd(values.low) && !isEnd(values.high) &&
        llvm::divideFloorSigned(values.low, *divisor) ==
            llvm::divideFloorSigned(values.high, *divisor))
      return Expression::constant(
          context, llvm::divideFloorSigned(values.low, *divisor));
    // Terms that the divisor divides leave no remainder, so that the others are
    // rounded by themselves.
    Expression whole = Expression::constant(context, 0), rest = whole;
    for (auto [coefficient, monomial] :
         llvm::zip_equal(lhs.attribute().getCoefficients(),
                         lhs.attribute().getMonomials())) {
      Expression term(ExpressionAttr::get(context, {coefficient}, {monomial}));
      bool divides = this->divisor(term) % uint64_t(*divisor) == 0;
      (divides ? whole : rest) = (divides ? whole : rest) + term;
    }
    if (whole.isConstant(0) || rest.isConstant(0))
      return lhs.floorDiv(*divisor);
    return whole.floorDiv(*divisor) + simplified(rest.floorDiv(*divisor));
  }
  case Function::Minimum:
    if (isNeverNegative(lhs))
      return Expression::constant(context, 0);
    if (isNeverNegative(-lhs))
      return lhs;
    return Expression::minimum(lhs, Expression::constant(context, 0));
  case Function::IsPositive:
    if (isAlwaysPositive(lhs))
      return Expression::constant(context, 1);
    if (isNeverNegative(-lhs))
      return Expression::constant(context, 0);
    return Expression::isPositive(lhs);
  case Function::IsZero:
    if (std::optional<bool> known = isZero(lhs))
      return Expression::constant(context, *known);
    return Expression::isZero(lhs);
  }
  llvm_unreachable("four functions");
}

Expression Ranges::simplified(Expression expression) const {
  if (!expression)
    return {};
  if (ExpressionAttr known = simpler.lookup(expression.attribute()))
    return Expression(known);
  // count * (1 - count) of one that is 0 or 1.
  if (std::optional<Interval> exact = oneByOne(expression, *this);
      exact && exact->low == exact->high)
    return Expression::constant(expression.context(), exact->low);
  Expression whole = expression;
  // What became simpler may let more become so: each time it has less within
  // functions. Random expressions of four symbols (test/unit/Size) change twice
  // at most; what would go on for longer is right as it is, too.
  constexpr unsigned kRounds = 4;
  for (unsigned round = 0; expression && round < kRounds; ++round) {
    Expression next = simplifiedOnce(expression);
    if (next == expression)
      break;
    expression = next;
  }
  if (expression)
    simpler[whole.attribute()] = expression.attribute();
  return expression;
}

Expression Ranges::counted(Expression expression) const {
  if (!expression || llvm::all_of(expression.symbols(), [&](StringRef name) {
        return facts(name).multiple == 1;
      }))
    return expression;
  return expression.substituted([&](StringRef name) {
    return Expression::symbol(expression.context(), name, facts(name).multiple);
  });
}

Expression Ranges::simplifiedOnce(Expression expression) const {
  MLIRContext *context = expression.context();
  Expression sum = Expression::constant(context, 0);
  for (auto [coefficient, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    Expression term = Expression::constant(context, coefficient);
    // d * floordiv(n, d) is n where d divides n.
    bool isUndone = false;
    for (Attribute factor : monomial.getFactors()) {
      if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
        Interval values = factorInterval(symbol);
        term = term * (values.low == values.high
                           ? Expression::constant(context, values.low)
                           : counted(Expression::units(
                                 context, symbol.getName(), symbol.getUnit())));
        continue;
      }
      auto atom = cast<AtomAttr>(factor);
      std::optional<int64_t> by = exactlyDividedBy(atom);
      if (!isUndone && by && coefficient % *by == 0) {
        isUndone = true;
        // Each coefficient of the term is a multiple of `coefficient`.
        std::optional<Expression> less =
            term.dividedExactly(Expression::constant(context, *by));
        term =
            less.value_or(Expression()) * simplified(Expression(atom.getLhs()));
        continue;
      }
      term = term * simplifiedAtom(atom);
    }
    sum = sum + term;
  }
  return sum;
}

} // namespace heddle::size
