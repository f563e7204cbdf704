// What is known of symbols, and intervals of sums of products: term by term, at
// the corners of the ranges, and with quotients written as what they are the
// rounding of.

#include "dialects/Size/Ranges.h"
#include "dialects/Size/IntervalEnds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;

namespace heddle::size {

//===----------------------------------------------------------------------===//
// Numbers that stop at the ends of 64 bits
//===----------------------------------------------------------------------===//

using Wide = __int128;

static int64_t saturated(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX));
}

/// The ends of 64 bits are infinite: times 0 they are 0, else infinite again.
static int64_t times(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (isEnd(a) || isEnd(b))
    return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
  return saturated(Wide(a) * b);
}

/// A low end is infinite only as the least number of 64 bits, and a high end
/// only as the greatest: where all values are the greatest number or beyond it,
/// the low end is the number before that, so that what is taken from them
/// counts.
static Interval held(Interval values) {
  return {std::min(values.low, INT64_MAX - 1),
          std::max(values.high, INT64_MIN + 1)};
}

static Interval times(Interval a, Interval b) {
  int64_t products[] = {times(a.low, b.low), times(a.low, b.high),
                        times(a.high, b.low), times(a.high, b.high)};
  return held({*std::min_element(products, products + 4),
               *std::max_element(products, products + 4)});
}

static Interval plus(Interval a, Interval b) {
  // An infinite end stays one, whatever the other is.
  bool hasNoLow = a.low == INT64_MIN || b.low == INT64_MIN;
  bool hasNoHigh = a.high == INT64_MAX || b.high == INT64_MAX;
  return held({hasNoLow ? INT64_MIN : saturated(Wide(a.low) + b.low),
               hasNoHigh ? INT64_MAX : saturated(Wide(a.high) + b.high)});
}

static Interval both(Interval a, Interval b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

static int64_t quotient(int64_t value, int64_t divisor) {
  return isEnd(value) ? value : llvm::divideFloorSigned(value, divisor);
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

void Ranges::declare(StringRef symbol, SymbolFacts facts) {
  facts.minimum = std::max<int64_t>(facts.minimum, 0);
  symbols[symbol] = facts;
  forget();
}

SymbolFacts Ranges::facts(StringRef symbol) const {
  auto found = symbols.find(symbol);
  return found == symbols.end() ? SymbolFacts() : found->second;
}

std::optional<Expression> notNegativeWhere(Expression condition) {
  ExpressionAttr sum = condition.attribute();
  if (!sum || sum.getCoefficients() != ArrayRef<int64_t>(1) ||
      sum.getMonomials()[0].getFactors().size() != 1)
    return std::nullopt;
  auto atom = dyn_cast<AtomAttr>(sum.getMonomials()[0].getFactors()[0]);
  if (!atom || atom.getFunction() != Function::IsPositive)
    return std::nullopt;
  return Expression(atom.getLhs()) - 1;
}

std::optional<Expression> notNegativeIfZero(Expression zero) {
  if (std::optional<Expression> gap = notNegativeWhere(1 - zero))
    return gap;
  // Where x is not positive, -x is not negative.
  if (std::optional<Expression> less = notNegativeWhere(zero))
    return -(*less + 1);
  return std::nullopt;
}

std::optional<SymbolPair> differingSymbols(Expression difference) {
  if (!difference)
    return std::nullopt;
  ExpressionAttr sum = difference.attribute();
  if (sum.getCoefficients().size() != 2)
    return std::nullopt;
  int64_t sign = sum.getCoefficients()[0] < 0 ? -1 : 1;
  SmallVector<StringRef> names;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(sum.getCoefficients(), sum.getMonomials())) {
    Expression term(ExpressionAttr::get(sum.getContext(), {coefficient * sign},
                                        {monomial}));
    std::optional<StringRef> name = term.asSymbol();
    if (!name)
      return std::nullopt;
    names.push_back(*name);
    sign = -sign;
  }
  return SymbolPair{names[0].str(), names[1].str()};
}

void Ranges::assumeNotNegative(Expression expression) {
  notNegative.push_back(expression);
  forget();
}

Expression
Ranges::withLargest(Expression expression,
                    llvm::function_ref<bool(StringRef symbol)> isMeant) const {
  return expression.substituted([&](StringRef name) {
    if (!isMeant(name))
      return Expression::symbol(expression.context(), name);
    SymbolFacts known = facts(name);
    return Expression::constant(expression.context(),
                                known.maximum - known.maximum % known.multiple);
  });
}

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

Interval Ranges::factorInterval(Attribute factor) const {
  if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
    SymbolFacts known = facts(symbol.getName());
    int64_t high = known.maximum;
    if (!isEnd(high))
      high -= high % known.multiple;
    int64_t low =
        saturated(Wide(llvm::divideCeilSigned(known.minimum, known.multiple)) *
                  known.multiple);
    int64_t unit = symbol.getUnit();
    return held({isEnd(low) ? low : llvm::divideCeilSigned(low, unit),
                 quotient(high, unit)});
  }
  auto atom = cast<AtomAttr>(factor);
  Interval lhs = interval(Expression(atom.getLhs()));
  switch (atom.getFunction()) {
  case Function::FloorDiv: {
    Interval rhs = interval(Expression(atom.getRhs()));
    int64_t least = std::max<int64_t>(rhs.low, 1),
            most = std::max<int64_t>(rhs.high, 1);
    int64_t low =
        lhs.low < 0 ? quotient(lhs.low, least) : quotient(lhs.low, most);
    int64_t high =
        lhs.high < 0 ? quotient(lhs.high, most) : quotient(lhs.high, least);
    // Infinite by something infinite may be anything.
    if (most == INT64_MAX)
      low = lhs.low < 0 ? lhs.low : 0;
    return {low, high};
  }
  case Function::Minimum:
    return {std::min<int64_t>(lhs.low, 0), std::min<int64_t>(lhs.high, 0)};
  case Function::IsPositive:
    return {lhs.low > 0, lhs.high > 0};
  case Function::IsZero:
    return {lhs.low == 0 && lhs.high == 0, lhs.contains(0)};
  }
  llvm_unreachable("four functions");
}

Interval Ranges::termwise(ExpressionAttr expression) const {
  Interval sum = {0, 0};
  for (auto [coefficient, monomial] : llvm::zip_equal(
           expression.getCoefficients(), expression.getMonomials())) {
    Interval term = {1, 1};
    ArrayRef<Attribute> factors = monomial.getFactors();
    for (size_t i = 0; i < factors.size();) {
      size_t power = 1;
      while (i + power < factors.size() && factors[i + power] == factors[i])
        ++power;
      Interval base = factorInterval(factors[i]), raised = base;
      for (size_t k = 1; k < power; ++k)
        raised = times(raised, base);
      // An even power is not negative.
      if (power % 2 == 0)
        raised.low = std::max<int64_t>(raised.low, 0);
      term = times(term, raised);
      i += power;
    }
    sum = plus(sum, times(term, {coefficient, coefficient}));
  }
  return sum;
}

/// What is linear in each factor has its extremes at the corners of their box.
/// Factors are taken for independent: that widens and is never wrong. Nothing
/// for other expressions, and for large ones.
std::optional<Interval> Ranges::corners(ExpressionAttr expression) const {
  // Each factor doubles the corners, which are 256 of these. Of the sums that a
  // model of open images asks for (test/e2e/bounded/image-sizes.mlir), one in
  // hundreds has more; there the interval term by term stands.
  constexpr unsigned kMaxFactors = 8;
  llvm::SmallSetVector<Attribute, 8> factors;
  for (MonomialAttr monomial : expression.getMonomials())
    for (auto [i, factor] : llvm::enumerate(monomial.getFactors())) {
      if (i > 0 && monomial.getFactors()[i - 1] == factor)
        return std::nullopt;
      factors.insert(factor);
    }
  if (factors.size() > kMaxFactors)
    return std::nullopt;
  SmallVector<Interval> ends;
  for (Attribute factor : factors) {
    ends.push_back(factorInterval(factor));
    if (isEnd(ends.back().low) || isEnd(ends.back().high))
      return std::nullopt;
  }
  Interval result = {INT64_MAX, INT64_MIN};
  for (unsigned corner = 0; corner < (1u << factors.size()); ++corner) {
    Wide sum = 0;
    for (auto [coefficient, monomial] : llvm::zip_equal(
             expression.getCoefficients(), expression.getMonomials())) {
      int64_t term = coefficient;
      for (Attribute factor : monomial.getFactors()) {
        size_t place =
            std::distance(factors.begin(), llvm::find(factors, factor));
        term = times(term,
                     corner >> place & 1 ? ends[place].high : ends[place].low);
      }
      if (isEnd(term))
        return std::nullopt;
      sum += term;
    }
    result.low = std::min(result.low, saturated(sum));
    result.high = std::max(result.high, saturated(sum));
  }
  return held(result);
}

/// Narrows `known` by functions that stand alone in a term, so that what is
/// within them meets what else the expression has: a quotient n / d is
/// (n - r) / d with r from 0 to d - 1; with a minimum of x and 0 the whole is
/// the lesser, or the greater, of the two without it.
Interval Ranges::withoutFunctions(Expression expression, Interval known,
                                  unsigned budget) const {
  // A bound on what it costs; more terms have no such form anyway.
  constexpr unsigned kMaxTerms = 16;
  if (expression.attribute().getMonomials().size() > kMaxTerms)
    return known;
  for (auto [coefficient, monomial] :
       llvm::zip_equal(expression.attribute().getCoefficients(),
                       expression.attribute().getMonomials())) {
    if (monomial.getFactors().size() != 1)
      continue;
    auto atom = dyn_cast<AtomAttr>(monomial.getFactors()[0]);
    if (!atom)
      continue;
    Expression term(
        ExpressionAttr::get(expression.context(), {coefficient}, {monomial}));
    Expression rest = expression - term;
    Expression inside = Expression(atom.getLhs()) * coefficient;
    if (atom.getFunction() == Function::Minimum) {
      Expression other = rest + inside;
      if (!other)
        continue;
      Interval x = compute(rest, budget - 1), y = compute(other, budget - 1);
      known = both(known, coefficient > 0 ? Interval{std::min(x.low, y.low),
                                                     std::min(x.high, y.high)}
                                          : Interval{std::max(x.low, y.low),
                                                     std::max(x.high, y.high)});
      continue;
    }
    std::optional<int64_t> divisor = Expression(atom.getRhs()).asConstant();
    if (atom.getFunction() != Function::FloorDiv || !divisor)
      continue;
    Expression scaled = rest * *divisor + inside;
    if (!scaled)
      continue;
    Interval remainder =
        times(Interval{0, *divisor - 1}, Interval{coefficient, coefficient});
    Interval total =
        plus(compute(scaled, budget - 1), times(remainder, Interval{-1, -1}));
    if (!isEnd(total.low))
      known.low =
          std::max(known.low, llvm::divideCeilSigned(total.low, *divisor));
    if (!isEnd(total.high))
      known.high =
          std::min(known.high, llvm::divideFloorSigned(total.high, *divisor));
  }
  return known;
}

std::optional<Interval> oneByOne(Expression expression, const Ranges &ranges) {
  // A bound on what it costs.
  constexpr int64_t kMostValues = 1024;
  ArrayRef<MonomialAttr> terms = expression.attribute().getMonomials();
  if (terms.size() < 2 || llvm::none_of(terms, [](MonomialAttr term) {
        return term.getFactors().size() > 1;
      }))
    return std::nullopt;
  SmallVector<StringRef> symbols = expression.symbols();
  if (symbols.size() != 1)
    return std::nullopt;
  SymbolFacts known = ranges.facts(symbols.front());
  int64_t first = llvm::divideCeilSigned(known.minimum, known.multiple);
  int64_t last = known.maximum / known.multiple;
  if (first > last || last - first >= kMostValues)
    return std::nullopt;
  Interval all = {INT64_MAX, INT64_MIN};
  for (int64_t i = first; i <= last; ++i) {
    std::optional<int64_t> value = expression.evaluated(
        [&](StringRef) { return std::optional(i * known.multiple); });
    if (!value)
      return std::nullopt;
    all = {std::min(all.low, *value), std::max(all.high, *value)};
  }
  return all;
}

Interval Ranges::compute(Expression expression, unsigned budget) const {
  if (std::optional<Interval> exact = oneByOne(expression, *this))
    return held(*exact);
  Interval result = termwise(expression.attribute());
  if (auto exact = corners(expression.attribute()))
    result = both(result, *exact);
  if (budget > 0)
    result = withoutFunctions(expression, result, budget);
  return result;
}

Interval Ranges::interval(Expression expression) const {
  if (!expression)
    return {INT64_MIN, INT64_MAX};
  if (auto found = intervals.find(expression.attribute());
      found != intervals.end())
    return found->second;
  // Windows behind windows round what is rounded. In a model of open images
  // (test/e2e/bounded/image-sizes.mlir) a third level still narrows one
  // interval in 60, a fourth none; each level may cost as many intervals again
  // as the sum has functions, and a minimum twice that.
  constexpr unsigned kFunctions = 3;
  Interval result = compute(expression, kFunctions);
  return intervals[expression.attribute()] = result;
}

} // namespace heddle::size
