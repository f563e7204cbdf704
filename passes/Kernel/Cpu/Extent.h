// Extents and strides of kernels: numbers, or what follows from a call's sizes.

#ifndef HEDDLE_PASSES_KERNEL_CPU_EXTENT_H
#define HEDDLE_PASSES_KERNEL_CPU_EXTENT_H

#include "dialects/Size/Expression.h"

namespace heddle {

/// How far a loop runs or how many pieces there are: a number, or an expression
/// over the sizes of a call with the largest value it has.
class Extent {
public:
  Extent(int64_t number = 0) : most(number) {}
  /// `expression` may be null, as one is that grew too large.
  Extent(size::Expression expression, int64_t bound);

  bool isSized() const { return sized; }
  /// The number, if it is one for all sizes.
  std::optional<int64_t> known() const {
    return sized ? std::nullopt : std::optional<int64_t>(most);
  }
  bool is(int64_t number) const { return !sized && most == number; }
  /// The number, or the largest one.
  int64_t bound() const { return most; }
  /// A number as an expression, too.
  size::Expression expression(mlir::MLIRContext *context) const;
  /// Whether every value is a multiple of `number`, as far as the expression
  /// tells without ranges of its symbols.
  bool isMultipleOf(int64_t number) const;

  /// Equal for all sizes. Expressions that are null equal none.
  bool operator==(const Extent &other) const;
  bool operator!=(const Extent &other) const { return !(*this == other); }
  Extent operator*(const Extent &other) const;
  Extent ceilDiv(int64_t divisor) const;

private:
  int64_t most = 0;
  size::Expression value;
  bool sized = false;
};

/// The product of all.
Extent productOf(llvm::ArrayRef<Extent> extents);

/// The true extents of a tensor, which lies row-major by them.
llvm::SmallVector<Extent> trueExtents(mlir::RankedTensorType type);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_EXTENT_H
