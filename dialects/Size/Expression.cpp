// Canonical sums of products: how they are added, multiplied and divided.

#include "dialects/Size/Expression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle::size {

//===----------------------------------------------------------------------===//
// The order of factors and terms
//===----------------------------------------------------------------------===//
// It is that of names and structure, never of pointers: equal programs print
// equally in every process.

static int compare(ExpressionAttr a, ExpressionAttr b);

static int compareFactors(Attribute a, Attribute b) {
  if (a == b)
    return 0;
  auto symbolA = dyn_cast<SymbolAttr>(a), symbolB = dyn_cast<SymbolAttr>(b);
  if (symbolA && symbolB) {
    if (int order = symbolA.getName().compare(symbolB.getName()))
      return order;
    return symbolA.getUnit() < symbolB.getUnit() ? -1 : 1;
  }
  if (symbolA || symbolB)
    return symbolA ? -1 : 1;
  auto atomA = cast<AtomAttr>(a), atomB = cast<AtomAttr>(b);
  if (atomA.getFunction() != atomB.getFunction())
    return atomA.getFunction() < atomB.getFunction() ? -1 : 1;
  if (int order = compare(atomA.getLhs(), atomB.getLhs()))
    return order;
  return compare(atomA.getRhs(), atomB.getRhs());
}

/// More factors first, so that the constant comes last; else by the factors.
static int compareMonomials(MonomialAttr a, MonomialAttr b) {
  if (a == b)
    return 0;
  ArrayRef<Attribute> factorsA = a.getFactors(), factorsB = b.getFactors();
  if (factorsA.size() != factorsB.size())
    return factorsA.size() > factorsB.size() ? -1 : 1;
  for (auto [factorA, factorB] : llvm::zip_equal(factorsA, factorsB))
    if (int order = compareFactors(factorA, factorB))
      return order;
  return 0;
}

static int compare(ExpressionAttr a, ExpressionAttr b) {
  if (a == b)
    return 0;
  for (auto [monomialA, monomialB] :
       llvm::zip(a.getMonomials(), b.getMonomials()))
    if (int order = compareMonomials(monomialA, monomialB))
      return order;
  if (a.getMonomials().size() != b.getMonomials().size())
    return a.getMonomials().size() < b.getMonomials().size() ? -1 : 1;
  for (auto [x, y] : llvm::zip_equal(a.getCoefficients(), b.getCoefficients()))
    if (x != y)
      return x < y ? -1 : 1;
  return 0;
}

/// How many factors an expression has, those in its functions too: what a walk
/// through it costs, however often its parts are shared.
static uint64_t weightOf(ExpressionAttr expression) {
  uint64_t weight = 0;
  for (MonomialAttr monomial : expression.getMonomials())
    for (Attribute factor : monomial.getFactors()) {
      auto atom = dyn_cast<AtomAttr>(factor);
      weight += atom ? atom.getWeight() : 1;
    }
  return weight;
}

static MonomialAttr product(MonomialAttr a, MonomialAttr b) {
  if (a.getFactors().empty())
    return b;
  if (b.getFactors().empty())
    return a;
  SmallVector<Attribute> factors(a.getFactors());
  llvm::append_range(factors, b.getFactors());
  llvm::sort(factors,
             [](Attribute x, Attribute y) { return compareFactors(x, y) < 0; });
  // What is 0 or 1 is its own square.
  auto last =
      std::unique(factors.begin(), factors.end(), [](Attribute x, Attribute y) {
        auto atom = dyn_cast<AtomAttr>(x);
        return x == y && atom &&
               (atom.getFunction() == Function::IsPositive ||
                atom.getFunction() == Function::IsZero);
      });
  factors.erase(last, factors.end());
  return MonomialAttr::get(a.getContext(), factors);
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

namespace {
/// Terms on the way to an expression.
class Sum {
public:
  explicit Sum(MLIRContext *context) : context(context) {}

  void add(int64_t coefficient, MonomialAttr monomial) {
    overflows |=
        llvm::AddOverflow(terms[monomial], coefficient, terms[monomial]);
    overflows |= terms.size() > 4 * Expression::kMaxTerms;
  }
  void add(Expression expression, int64_t factor = 1) {
    for (auto [coefficient, monomial] :
         llvm::zip_equal(expression.attribute().getCoefficients(),
                         expression.attribute().getMonomials())) {
      int64_t scaled = 0;
      overflows |= llvm::MulOverflow(coefficient, factor, scaled);
      add(scaled, monomial);
    }
  }
  void fail() { overflows = true; }
  bool failed() const { return overflows; }
  Expression take();

private:
  MLIRContext *context;
  llvm::DenseMap<MonomialAttr, int64_t> terms;
  bool overflows = false;
};
} // namespace

Expression Sum::take() {
  SmallVector<std::pair<MonomialAttr, int64_t>> ordered;
  for (auto [monomial, coefficient] : terms) {
    // The least number has no opposite, and text cannot say it.
    overflows |= coefficient == INT64_MIN;
    if (coefficient != 0)
      ordered.emplace_back(monomial, coefficient);
  }
  if (overflows || ordered.size() > Expression::kMaxTerms)
    return {};
  llvm::sort(ordered, [](const auto &a, const auto &b) {
    return compareMonomials(a.first, b.first) < 0;
  });
  SmallVector<int64_t> coefficients;
  SmallVector<MonomialAttr> monomials;
  for (auto [monomial, coefficient] : ordered) {
    coefficients.push_back(coefficient);
    monomials.push_back(monomial);
  }
  auto expression = ExpressionAttr::get(context, coefficients, monomials);
  return weightOf(expression) > Expression::kMaxWeight ? Expression()
                                                       : Expression(expression);
}

Expression Expression::constant(MLIRContext *context, int64_t value) {
  if (value == 0)
    return Expression(ExpressionAttr::get(context, {}, {}));
  return Expression(
      ExpressionAttr::get(context, {value}, {MonomialAttr::get(context, {})}));
}

Expression Expression::symbol(MLIRContext *context, StringRef name,
                              int64_t unit) {
  return units(context, name, unit) * unit;
}

Expression Expression::units(MLIRContext *context, StringRef name,
                             int64_t unit) {
  Attribute factor = SymbolAttr::get(context, name, unit);
  return Expression(ExpressionAttr::get(
      context, {1}, {MonomialAttr::get(context, {factor})}));
}

std::optional<int64_t> Expression::asConstant() const {
  if (!stored)
    return std::nullopt;
  if (stored.getMonomials().empty())
    return 0;
  if (stored.getMonomials().size() > 1 ||
      !stored.getMonomials()[0].getFactors().empty())
    return std::nullopt;
  return stored.getCoefficients()[0];
}

std::optional<StringRef> Expression::asSymbol() const {
  if (!stored || stored.getMonomials().size() != 1 ||
      stored.getMonomials()[0].getFactors().size() != 1)
    return std::nullopt;
  auto symbol = dyn_cast<SymbolAttr>(stored.getMonomials()[0].getFactors()[0]);
  if (!symbol || stored.getCoefficients()[0] != symbol.getUnit())
    return std::nullopt;
  return symbol.getName();
}

Expression Expression::operator+(Expression other) const {
  if (!stored || !other)
    return {};
  Sum sum(context());
  sum.add(*this);
  sum.add(other);
  return sum.take();
}

Expression Expression::operator-(Expression other) const {
  if (!stored || !other)
    return {};
  Sum sum(context());
  sum.add(*this);
  sum.add(other, -1);
  return sum.take();
}

Expression Expression::operator*(Expression other) const {
  if (!stored || !other)
    return {};
  Sum sum(context());
  for (auto [coefficientA, monomialA] :
       llvm::zip_equal(stored.getCoefficients(), stored.getMonomials()))
    for (auto [coefficientB, monomialB] : llvm::zip_equal(
             other.stored.getCoefficients(), other.stored.getMonomials())) {
      int64_t coefficient = 0;
      if (llvm::MulOverflow(coefficientA, coefficientB, coefficient))
        return {};
      sum.add(coefficient, product(monomialA, monomialB));
      if (sum.failed())
        return {};
    }
  return sum.take();
}

//===----------------------------------------------------------------------===//
// Functions that are no polynomials
//===----------------------------------------------------------------------===//

static Expression atom(Function function, Expression lhs, Expression rhs) {
  MLIRContext *context = lhs.context();
  uint64_t weight = weightOf(lhs.attribute()) + weightOf(rhs.attribute()) + 1;
  if (weight > Expression::kMaxWeight)
    return {};
  Attribute factor = AtomAttr::get(context, function, lhs.attribute(),
                                   rhs.attribute(), weight);
  return Expression(ExpressionAttr::get(
      context, {1}, {MonomialAttr::get(context, {factor})}));
}

/// The greatest number that divides all coefficients; 0 for the expression 0.
static uint64_t content(Expression expression) {
  uint64_t divisor = 0;
  for (int64_t coefficient : expression.attribute().getCoefficients())
    divisor = std::gcd(divisor, llvm::AbsoluteValue(coefficient));
  return divisor;
}

/// With all coefficients divided by `divisor`, which divides them.
static Expression scaledDown(Expression expression, uint64_t divisor) {
  if (divisor <= 1 || divisor > uint64_t(INT64_MAX))
    return expression;
  SmallVector<int64_t> coefficients = llvm::map_to_vector(
      expression.attribute().getCoefficients(),
      [&](int64_t coefficient) { return coefficient / int64_t(divisor); });
  return Expression(ExpressionAttr::get(expression.context(), coefficients,
                                        expression.attribute().getMonomials()));
}

static bool leadsNegative(Expression expression) {
  ArrayRef<int64_t> coefficients = expression.attribute().getCoefficients();
  return !coefficients.empty() && coefficients.front() < 0;
}

std::optional<Expression> Expression::dividedExactly(Expression divisor) const {
  if (!stored || !divisor || divisor.stored.getMonomials().empty())
    return std::nullopt;
  // The leading term of what is left is divided by that of the divisor, until
  // nothing is left.
  MonomialAttr lead = divisor.stored.getMonomials().front();
  int64_t leadCoefficient = divisor.stored.getCoefficients().front();
  Expression rest = *this, quotient = constant(context(), 0);
  for (unsigned step = 0; step <= kMaxTerms; ++step) {
    if (!rest || !quotient)
      return std::nullopt;
    if (rest.isConstant(0))
      return quotient;
    int64_t coefficient = rest.stored.getCoefficients().front();
    // The one quotient that takes more than 64 bits.
    if (coefficient == INT64_MIN && leadCoefficient == -1)
      return std::nullopt;
    if (coefficient % leadCoefficient != 0)
      return std::nullopt;
    SmallVector<Attribute> factors(
        rest.stored.getMonomials().front().getFactors());
    for (Attribute factor : lead.getFactors()) {
      auto *found = llvm::find(factors, factor);
      if (found == factors.end())
        return std::nullopt;
      factors.erase(found);
    }
    Expression term(
        ExpressionAttr::get(context(), {coefficient / leadCoefficient},
                            {MonomialAttr::get(context(), factors)}));
    quotient = quotient + term;
    rest = rest - term * divisor;
  }
  return std::nullopt;
}

/// What is added to all that depends on sizes.
static int64_t constantPart(Expression sum) {
  ExpressionAttr terms = sum.attribute();
  bool hasConstant = !terms.getMonomials().empty() &&
                     terms.getMonomials().back().getFactors().empty();
  return hasConstant ? terms.getCoefficients().back() : 0;
}

/// floor((floor(x / a) + c) / b) as floor((x + a * c) / (a * b)), for numbers
/// a, b and c; null where `numerator` is no such sum, or a number takes more
/// than 64 bits.
static Expression joinedQuotient(Expression numerator, int64_t divisor) {
  int64_t rest = constantPart(numerator);
  Expression varying = numerator - rest;
  ArrayRef<MonomialAttr> monomials = varying.attribute().getMonomials();
  if (monomials.size() != 1 ||
      varying.attribute().getCoefficients().front() != 1 ||
      monomials.front().getFactors().size() != 1)
    return {};
  auto inner = dyn_cast<AtomAttr>(monomials.front().getFactors().front());
  if (!inner || inner.getFunction() != Function::FloorDiv)
    return {};
  std::optional<int64_t> by = Expression(inner.getRhs()).asConstant();
  int64_t both = 0, added = 0;
  if (!by || llvm::MulOverflow(*by, divisor, both) ||
      llvm::MulOverflow(*by, rest, added))
    return {};
  Expression sum = Expression(inner.getLhs()) + added;
  return sum ? sum.floorDiv(both) : sum;
}

Expression Expression::floorDiv(Expression divisor) const {
  if (!stored || !divisor)
    return {};
  std::optional<int64_t> number = divisor.asConstant();
  if (number && *number <= 0)
    return {};
  if (number == 1)
    return *this;
  if (std::optional<int64_t> value = asConstant(); value && number)
    return constant(context(), llvm::divideFloorSigned(*value, *number));
  if (!number) {
    // Positive wherever the quotient counts, so never 0.
    if (std::optional<Expression> exact = dividedExactly(divisor))
      return *exact;
    // Nor is a size that both have as a factor, since sizes are not negative.
    if (!divisor.stored.getMonomials().empty())
      for (Attribute each : divisor.stored.getMonomials()[0].getFactors()) {
        auto size = dyn_cast<SymbolAttr>(each);
        if (!size)
          continue;
        Expression factor = units(context(), size.getName(), size.getUnit());
        std::optional<Expression> over = dividedExactly(factor),
                                  under = divisor.dividedExactly(factor);
        if (over && under)
          return over->floorDiv(*under);
      }
    return atom(Function::FloorDiv, *this, divisor);
  }
  // What the divisor divides comes out; of the rest, each coefficient stays
  // below the divisor, so that equal quotients are one.
  SmallVector<int64_t> whole, left;
  for (int64_t coefficient : stored.getCoefficients()) {
    whole.push_back(llvm::divideFloorSigned(coefficient, *number));
    left.push_back(coefficient - whole.back() * *number);
  }
  auto select = [&](ArrayRef<int64_t> coefficients) {
    SmallVector<int64_t> kept;
    SmallVector<MonomialAttr> monomials;
    for (auto [coefficient, monomial] :
         llvm::zip_equal(coefficients, stored.getMonomials()))
      if (coefficient != 0) {
        kept.push_back(coefficient);
        monomials.push_back(monomial);
      }
    return Expression(ExpressionAttr::get(context(), kept, monomials));
  };
  Expression outside = select(whole), inside = select(left);
  // The constant is rounded by itself when the other coefficients and the
  // divisor have a common one: floor((4x + 3) / 8) is floor(x / 2).
  int64_t rest = constantPart(inside);
  Expression varying = inside - rest;
  if (varying.isConstant(0))
    return outside; // The constant is less than the divisor.
  uint64_t common = std::gcd(content(varying), uint64_t(*number));
  inside = scaledDown(varying, common) +
           llvm::divideFloorSigned(rest, int64_t(common));
  int64_t small = *number / int64_t(common);
  if (small == 1)
    return outside + inside;
  if (Expression joined = joinedQuotient(inside, small))
    return outside + joined;
  return outside + atom(Function::FloorDiv, inside, constant(context(), small));
}

Expression Expression::ceilDiv(Expression divisor) const {
  return (*this + divisor - 1).floorDiv(divisor);
}

Expression Expression::mod(Expression divisor) const {
  return *this - floorDiv(divisor) * divisor;
}

Expression Expression::minimum(Expression a, Expression b) {
  if (!a || !b)
    return {};
  Expression difference = a - b;
  if (!difference)
    return {};
  if (std::optional<int64_t> known = difference.asConstant())
    return *known <= 0 ? a : b;
  if (leadsNegative(difference)) {
    std::swap(a, b);
    difference = -difference;
    if (!difference)
      return {};
  }
  // b + min(a - b, 0), with what divides the difference outside.
  uint64_t common = content(difference);
  Expression zero = constant(a.context(), 0);
  return b + atom(Function::Minimum, scaledDown(difference, common), zero) *
                 int64_t(common);
}

Expression Expression::maximum(Expression a, Expression b) {
  return a + b - minimum(a, b);
}

Expression Expression::isZero(Expression a) {
  if (!a)
    return {};
  if (std::optional<int64_t> known = a.asConstant())
    return constant(a.context(), *known == 0);
  if (leadsNegative(a) && !(a = -a))
    return {};
  return atom(Function::IsZero, scaledDown(a, content(a)),
              constant(a.context(), 0));
}

Expression Expression::isPositive(Expression a) {
  if (!a)
    return {};
  MLIRContext *context = a.context();
  if (std::optional<int64_t> known = a.asConstant())
    return constant(context, *known > 0);
  // x > 0 where -x + 1 > 0 is not: one of the two is the atom.
  if (leadsNegative(a)) {
    Expression opposite = 1 - a;
    return opposite ? 1 - isPositive(opposite) : Expression();
  }
  // k * x + c > 0 where x + ceil(c / k) > 0.
  Expression constantPart = constant(context, 0);
  if (a.stored.getMonomials().back().getFactors().empty())
    constantPart = constant(context, a.stored.getCoefficients().back());
  Expression varying = a - constantPart;
  int64_t common =
      static_cast<int64_t>(std::min<uint64_t>(content(varying), INT64_MAX));
  Expression reduced =
      scaledDown(varying, common) +
      llvm::divideCeilSigned(*constantPart.asConstant(), common);
  if (!reduced)
    return {};
  return atom(Function::IsPositive, reduced, constant(context, 0));
}

Term withReducedUnits(int64_t coefficient, MonomialAttr monomial) {
  Term term{coefficient, {}};
  for (Attribute factor : monomial.getFactors()) {
    if (auto symbol = dyn_cast<SymbolAttr>(factor)) {
      int64_t common = std::gcd(term.coefficient, symbol.getUnit());
      term.coefficient /= common;
      factor = SymbolAttr::get(monomial.getContext(), symbol.getName(),
                               symbol.getUnit() / common);
    }
    term.factors.push_back(factor);
  }
  return term;
}

//===----------------------------------------------------------------------===//
// Extents of types
//===----------------------------------------------------------------------===//

Expression extentOf(RankedTensorType type, int64_t dimension) {
  if (auto extents = dyn_cast_or_null<ExtentsAttr>(type.getEncoding()))
    return Expression(extents.getExtents()[dimension]);
  return Expression::constant(type.getContext(), type.getDimSize(dimension));
}

SmallVector<Expression> extentsOf(RankedTensorType type) {
  SmallVector<Expression> extents;
  for (int64_t dimension = 0; dimension < type.getRank(); ++dimension)
    extents.push_back(extentOf(type, dimension));
  return extents;
}

bool hasExtents(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<ExtentsAttr>(tensor.getEncoding());
}

ExtentsAttr extentsAttr(MLIRContext *context, ArrayRef<Expression> extents) {
  return ExtentsAttr::get(context,
                          llvm::map_to_vector(extents, [](Expression extent) {
                            return extent.attribute();
                          }));
}

RankedTensorType withExtents(RankedTensorType type,
                             ArrayRef<Expression> extents) {
  bool isKnown =
      llvm::all_of(llvm::zip_equal(type.getShape(), extents), [](auto pair) {
        auto [bound, extent] = pair;
        return extent.isConstant(bound);
      });
  if (isKnown)
    return RankedTensorType::get(type.getShape(), type.getElementType());
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               extentsAttr(type.getContext(), extents));
}

} // namespace heddle::size
