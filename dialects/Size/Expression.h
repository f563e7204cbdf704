// Arithmetic on sizes.

#ifndef HEDDLE_DIALECTS_SIZE_EXPRESSION_H
#define HEDDLE_DIALECTS_SIZE_EXPRESSION_H

#include "dialects/Size/Size.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace heddle::size {

/// An integer that follows from sizes which calls choose: a value that is
/// written with operators and kept canonical, so that two are equal as
/// polynomials just if `==` says so.
///
/// An expression may be null: one that would need a coefficient of more than 64
/// bits, more than `kMaxTerms` terms or more than `kMaxWeight` factors, those
/// within functions counted. Whatever is computed from it is null, too, so that
/// a chain is checked once, at its end.
class Expression {
public:
  static constexpr unsigned kMaxTerms = 256;
  static constexpr unsigned kMaxWeight = 2048;

  Expression() = default;
  Expression(ExpressionAttr attribute) : stored(attribute) {}

  static Expression constant(mlir::MLIRContext *context, int64_t value);
  /// The symbol of that name. Counted in `unit`, which divides all of its
  /// values, it is `unit` times their number, so that a quotient by what divides
  /// the unit is a product.
  static Expression symbol(mlir::MLIRContext *context, llvm::StringRef name,
                           int64_t unit = 1);
  /// How many units the symbol has: what it is divided by `unit`.
  static Expression units(mlir::MLIRContext *context, llvm::StringRef name,
                          int64_t unit);

  explicit operator bool() const { return bool(stored); }
  ExpressionAttr attribute() const { return stored; }
  mlir::MLIRContext *context() const { return stored.getContext(); }
  bool operator==(Expression other) const { return stored == other.stored; }
  bool operator!=(Expression other) const { return stored != other.stored; }

  /// The number, if this is one for all sizes.
  std::optional<int64_t> asConstant() const;
  bool isConstant() const { return asConstant().has_value(); }
  bool isConstant(int64_t value) const { return asConstant() == value; }
  /// The symbol, if the expression is one and nothing else.
  std::optional<llvm::StringRef> asSymbol() const;

  Expression operator+(Expression other) const;
  Expression operator-(Expression other) const;
  Expression operator*(Expression other) const;
  Expression operator-() const { return *this * -1; }
  Expression operator+(int64_t other) const { return *this + number(other); }
  Expression operator-(int64_t other) const { return *this - number(other); }
  Expression operator*(int64_t other) const { return *this * number(other); }

  /// Rounded to minus infinity. `divisor` must be positive wherever the
  /// quotient counts: null for a constant that is not.
  Expression floorDiv(Expression divisor) const;
  Expression floorDiv(int64_t divisor) const {
    return floorDiv(number(divisor));
  }
  /// Rounded to plus infinity.
  Expression ceilDiv(Expression divisor) const;
  Expression ceilDiv(int64_t divisor) const { return ceilDiv(number(divisor)); }
  /// What `floorDiv` leaves: from 0 to divisor - 1.
  Expression mod(Expression divisor) const;
  Expression mod(int64_t divisor) const { return mod(number(divisor)); }
  /// The expression whose product with `divisor` this is as a polynomial;
  /// nothing if there is none. It is the quotient wherever the divisor is not
  /// 0.
  std::optional<Expression> dividedExactly(Expression divisor) const;

  static Expression minimum(Expression a, Expression b);
  static Expression maximum(Expression a, Expression b);
  /// 1 where it holds, 0 where it does not.
  static Expression isZero(Expression a);
  static Expression isPositive(Expression a);
  static Expression equal(Expression a, Expression b) { return isZero(a - b); }
  static Expression less(Expression a, Expression b) {
    return isPositive(b - a);
  }
  static Expression lessOrEqual(Expression a, Expression b) {
    return isPositive(b - a + 1);
  }
  /// `a` where `condition`, which is 0 or 1, is 1, else `b`.
  static Expression select(Expression condition, Expression a, Expression b) {
    return b + condition * (a - b);
  }

  /// With an expression in place of each symbol; another symbol is counted in
  /// the same unit. Null if `of` gives null.
  Expression
  substituted(llvm::function_ref<Expression(llvm::StringRef)> of) const;
  /// The value where symbols have the values that `of` gives; nothing where
  /// that is more than 64 bits, divides by zero or by a negative number, where
  /// a symbol is no multiple of its unit, or where `of` knows no value.
  std::optional<int64_t> evaluated(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> of) const;
  /// The names of its symbols, each once and in their order.
  llvm::SmallVector<llvm::StringRef> symbols() const;

  /// "batch * 4 + 1"; the half of a size that is counted in fours is
  /// "floordiv(height, 2)".
  std::string text() const;

private:
  void forSymbols(llvm::function_ref<void(llvm::StringRef)> visit) const;
  Expression number(int64_t value) const {
    return stored ? constant(context(), value) : Expression();
  }

  ExpressionAttr stored;
};

/// Sums and products from the constant's side.
inline Expression operator+(int64_t a, Expression b) { return b + a; }
inline Expression operator*(int64_t a, Expression b) { return b * a; }
inline Expression operator-(int64_t a, Expression b) { return -b + a; }

/// A term of an expression: a product of factors and a coefficient.
struct Term {
  int64_t coefficient;
  llvm::SmallVector<mlir::Attribute> factors;
};
/// The same with units that have no divisor in common with the coefficient, as
/// people read it and as its value takes the least to compute: 6 * s:4 is 3 *
/// s:2.
Term withReducedUnits(int64_t coefficient, MonomialAttr monomial);

/// The extents of `type`: its encoding's, or constants.
llvm::SmallVector<Expression> extentsOf(mlir::RankedTensorType type);
/// One of them.
Expression extentOf(mlir::RankedTensorType type, int64_t dimension);
/// Whether an extent of `type` depends on a size.
bool hasExtents(mlir::Type type);
/// Expressions as one attribute.
ExtentsAttr extentsAttr(mlir::MLIRContext *context,
                        llvm::ArrayRef<Expression> extents);
/// `type` with true extents; without encoding where all are constants that the
/// shape has.
mlir::RankedTensorType withExtents(mlir::RankedTensorType type,
                                   llvm::ArrayRef<Expression> extents);

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_EXPRESSION_H
