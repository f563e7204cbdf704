// What is known of sizes: their ranges, and what divides them.

#ifndef HEDDLE_DIALECTS_SIZE_RANGES_H
#define HEDDLE_DIALECTS_SIZE_RANGES_H

#include "dialects/Size/Expression.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace heddle::size {

/// Integers from `low` to `high`, both among them. The ends of 64 bits stand
/// for what lies beyond, too.
struct Interval {
  int64_t low;
  int64_t high;
  bool contains(int64_t value) const { return low <= value && value <= high; }
};

/// What a user or an exporter says of a symbol.
struct SymbolFacts {
  int64_t minimum = 0;
  int64_t maximum = INT64_MAX;
  int64_t multiple = 1; ///< Every value is a multiple of it; at least 1.
};

/// The expression that is not negative where `condition` is 1, if it says just
/// that: of is_positive(x), x - 1.
std::optional<Expression> notNegativeWhere(Expression condition);

/// The same where `zero`, what calls are checked for, is 0.
std::optional<Expression> notNegativeIfZero(Expression zero);

/// Two names of symbols.
struct SymbolPair {
  std::string first, second;
};
/// Those of s and t if `difference` is s - t or t - s.
std::optional<SymbolPair> differingSymbols(Expression difference);

/// Decides questions about expressions by the ranges of their symbols. All
/// answers hold for each choice of sizes within the ranges (and within what was
/// assumed); where nothing can be proved, there is none. A symbol without facts
/// is any number that is not negative.
class Ranges {
public:
  void declare(llvm::StringRef symbol, SymbolFacts facts);
  SymbolFacts facts(llvm::StringRef symbol) const;
  /// Takes as true that `expression` is not negative: a call checks it.
  void assumeNotNegative(Expression expression);

  /// Holds all values of `expression`.
  Interval interval(Expression expression) const;
  /// A number that divides all values, the greatest that is known; 0 for the
  /// expression 0.
  uint64_t divisor(Expression expression) const;

  /// `expression` with the largest value of each symbol that `isMeant` holds
  /// for; null if it has none then.
  Expression
  withLargest(Expression expression,
              llvm::function_ref<bool(llvm::StringRef symbol)> isMeant) const;

  bool isNeverNegative(Expression expression) const;
  /// A divisor that `expression` has and that may be 0 or less, so that it has
  /// no value for some sizes; nothing if there is none.
  std::optional<Expression> improperDivisor(Expression expression) const;
  bool isAlwaysPositive(Expression expression) const {
    return expression && isNeverNegative(expression - 1);
  }
  /// Whether it is 0 for all sizes, for none; nothing if for some or unknown.
  std::optional<bool> isZero(Expression expression) const;

  /// A symbol that is counted in a unit of which it may be no multiple; null if
  /// there is none.
  SymbolAttr improperlyCounted(Expression expression) const;

  /// An expression of the same value within the ranges, without the functions
  /// that these decide: min(sequence, 512) for at most 512, a remainder of what
  /// is a multiple. Symbols are counted in what they are multiples of.
  Expression simplified(Expression expression) const;
  /// The same with nothing but symbols counted.
  Expression counted(Expression expression) const;

private:
  void forget() {
    intervals.clear();
    simpler.clear();
  }
  Interval factorInterval(mlir::Attribute factor) const;
  Interval termwise(ExpressionAttr expression) const;
  std::optional<Interval> corners(ExpressionAttr expression) const;
  Interval compute(Expression expression, unsigned budget) const;
  Interval withoutFunctions(Expression expression, Interval known,
                            unsigned budget) const;
  /// What a factor that is a quotient divides by, if it does so exactly for all
  /// sizes; none of any other factor.
  std::optional<int64_t> exactlyDividedBy(mlir::Attribute factor) const;
  /// A multiple of `expression`, above 0 times, in which each quotient that is
  /// exact for all sizes is multiplied out; null if it gets too long.
  Expression withoutExactQuotients(Expression expression) const;
  Expression simplifiedOnce(Expression expression) const;
  Expression simplifiedAtom(AtomAttr atom) const;

  llvm::StringMap<SymbolFacts> symbols;
  llvm::SmallVector<Expression> notNegative;
  /// What was computed before.
  mutable llvm::DenseMap<mlir::Attribute, Interval> intervals;
  mutable llvm::DenseMap<mlir::Attribute, ExpressionAttr> simpler;
};

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_RANGES_H
