// Extents while a model is read: numbers, or expressions over the sizes that
// calls choose.

#ifndef HEDDLE_LIB_FRONTEND_ONNX_SIZES_H
#define HEDDLE_LIB_FRONTEND_ONNX_SIZES_H

#include "dialects/Size/Expression.h"
#include "dialects/Size/Ranges.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <type_traits>
#include <vector>

namespace heddle::onnx {

/// The sizes that a call may choose for a model, and what was taken for granted
/// of them.
class SizeScope {
public:
  explicit SizeScope(mlir::MLIRContext *context) : context(context) {}

  mlir::MLIRContext *context;
  size::Ranges ranges;

  /// What an operator wanted and ranges do not say: 0 at each call.
  struct Assumption {
    size::Expression isZero;
    std::string text; ///< "batch = 8"
    std::string node; ///< Of the operator; may be empty.
  };
  std::vector<Assumption> assumptions;

  /// A size that the program computes: how many elements it keeps, or another
  /// number of a range.
  struct Computed {
    std::string name;
    size::SymbolFacts range;
    mlir::Value count; ///< A scalar of 32 bits.
    /// What the count was made of.
    mlir::Value number;
  };
  std::vector<Computed> computed;
  /// What options say of sizes that the program computes, and of those that
  /// it may.
  struct Given {
    size::SymbolFacts range;
    bool isUsed = false;
  };
  llvm::StringMap<Given> given;
  /// Whether a call is done before the expression is known.
  bool isComputed(size::Expression expression) const;
  /// The node that is being read.
  std::string node;
  /// What somebody asked of a size that the program computes, and no call can
  /// be asked for: "a.count = b.count"; empty if there is nothing.
  std::string undecided;
  /// Whether an expression became longer than one may be since somebody asked.
  bool hasTooLong = false;
};

/// An extent, or another integer that follows from extents. Arithmetic on
/// numbers is that of int64_t; an expression keeps what ranges leave of it.
///
/// A Extent is no number that can be used by accident: whoever needs one asks
/// `known`, and has to say what to do without.
class Extent {
public:
  template <typename Integer,
            typename = std::enable_if_t<std::is_integral_v<Integer>>>
  Extent(Integer number) : number(static_cast<int64_t>(number)) {}
  Extent() = default;
  /// Simplified by the ranges of `scope`; a number if that is what is left. One
  /// that is too long is told to the scope, and stands as 1 until its node is
  /// refused.
  Extent(size::Expression expression, SizeScope &scope);

  bool isKnown() const { return !scope; }
  std::optional<int64_t> known() const {
    return isKnown() ? std::optional(number) : std::nullopt;
  }
  /// Whether it is the number `value` for all sizes.
  bool is(int64_t value) const { return isKnown() && number == value; }
  /// The number, or the greatest that it can be.
  int64_t bound() const { return number; }
  int64_t least() const;
  size::Expression expression(mlir::MLIRContext *context) const;
  SizeScope *owner() const { return scope; }

  /// Whether both are one number or one expression. Two that are not may be
  /// equal all the same at some sizes: where an operator wants them so, ask
  /// `meet`.
  bool isSame(const Extent &other) const;
  /// The one that both are where an operator wants them equal: nothing if they
  /// never are. What cannot be decided is taken for granted.
  static std::optional<Extent> meet(const Extent &a, const Extent &b);
  /// Whether it is 1 wherever `other` is not 0, and else 0, too: the first of a
  /// dimension of `other` elements, which stretches to all of them.
  bool isOneOf(const Extent &other) const;
  /// Whether it is less for all sizes (true), for none (false), or nothing.
  static std::optional<bool> isLess(const Extent &a, const Extent &b);

  friend Extent operator+(const Extent &a, const Extent &b);
  friend Extent operator-(const Extent &a, const Extent &b);
  friend Extent operator*(const Extent &a, const Extent &b);
  Extent &operator+=(const Extent &other) { return *this = *this + other; }
  Extent &operator*=(const Extent &other) { return *this = *this * other; }
  /// Quotients by numbers above 0; numbers are not negative here.
  Extent floorDiv(const Extent &divisor) const;
  Extent ceilDiv(const Extent &divisor) const;
  /// Whether it may be taken for not negative, as an operator wants it: false
  /// if it always is. What cannot be decided is taken for granted, as `text`.
  bool wantNotNegative(const llvm::Twine &text) const;
  /// The quotient where an operator wants `divisor` to divide it: nothing if it
  /// never does. What cannot be decided is taken for granted.
  std::optional<Extent> dividedBy(const Extent &divisor) const;
  /// 1 where it is less than 0, else 0.
  Extent isNegative() const;
  static Extent minimum(const Extent &a, const Extent &b);
  static Extent maximum(const Extent &a, const Extent &b);

  /// "128", "batch * 2".
  std::string text() const;

private:
  int64_t number = 0;
  SizeScope *scope = nullptr;
  size::Expression stored;
};

/// The extents of a tensor.
class Shape : public llvm::SmallVector<Extent, 6> {
public:
  using SmallVector::SmallVector;
  Shape(llvm::ArrayRef<int64_t> numbers)
      : SmallVector(numbers.begin(), numbers.end()) {}
  Shape(const llvm::SmallVectorImpl<int64_t> &numbers)
      : Shape(llvm::ArrayRef<int64_t>(numbers)) {}
  Shape(llvm::ArrayRef<Extent> sizes) : SmallVector(sizes) {}
  Shape(std::initializer_list<Extent> sizes) : SmallVector(sizes) {}

  bool areKnown() const {
    return llvm::all_of(*this,
                        [](const Extent &size) { return size.isKnown(); });
  }
  /// The numbers, or the greatest that they can be.
  llvm::SmallVector<int64_t, 6> bounds() const;
  bool areSame(const Shape &other) const;
  /// The first dimensions, and the last.
  Shape leading(size_t count) const { return Shape(begin(), begin() + count); }
  Shape trailing(size_t count) const { return Shape(end() - count, end()); }
  /// All but the first, and all but the last dimensions.
  Shape after(size_t count) const { return Shape(begin() + count, end()); }
  Shape before(size_t count) const { return leading(size() - count); }
  /// Whether an operator may take both for one: as `Extent::meet`.
  bool meets(const Shape &other) const;
  Extent product() const;
};

/// "1x128", as the command line spells shapes.
std::string spellShape(const Shape &shape);

} // namespace heddle::onnx

#endif // HEDDLE_LIB_FRONTEND_ONNX_SIZES_H
