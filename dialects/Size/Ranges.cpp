// Intervals of sums of products: term by term, at the corners of the ranges,
// and with quotients written as what they are the rounding of.

#include "dialects/Size/Ranges.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace heddle::size {

//===----------------------------------------------------------------------===//
// Numbers that stop at the ends of 64 bits
//===----------------------------------------------------------------------===//

using Wide = __int128;

static int64_t saturated(Wide value) {
  return static_cast<int64_t>(std::clamp<Wide>(value, INT64_MIN, INT64_MAX));
}

static bool isEnd(int64_t value) {
  return value == INT64_MIN || value == INT64_MAX;
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

/// The values of a sum with products of one symbol that has few: n * (9 - n) is
/// never negative, which its terms do not say. Nothing for any other.
static std::optional<Interval> oneByOne(Expression expression,
                                        const Ranges &ranges) {
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
  constexpr unsigned kFunctions = 3;
  Interval result = compute(expression, kFunctions);
  return intervals[expression.attribute()] = result;
}

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

//===----------------------------------------------------------------------===//
// What divides
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// What ranges decide
//===----------------------------------------------------------------------===//

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
  // functions.
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
