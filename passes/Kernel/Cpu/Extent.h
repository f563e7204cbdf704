// Extents and strides of kernels: numbers, or what follows from a call's sizes.

#ifndef HEDDLE_PASSES_KERNEL_CPU_EXTENT_H
#define HEDDLE_PASSES_KERNEL_CPU_EXTENT_H

#include "dialects/Size/Expression.h"
#include "mlir/IR/AffineMap.h"

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
  Extent operator+(const Extent &other) const;
  Extent ceilDiv(int64_t divisor) const;
  Extent floorDiv(int64_t divisor) const;
  /// What `floorDiv` leaves.
  Extent rem(int64_t divisor) const;
  /// Rounded up to a multiple.
  Extent alignTo(int64_t step) const { return ceilDiv(step) * step; }
  Extent atMost(int64_t limit) const;

private:
  int64_t most = 0;
  size::Expression value;
  bool sized = false;
};

/// The product of all.
Extent productOf(llvm::ArrayRef<Extent> extents);

/// How far apart elements lie along each dimension of a row-major tensor.
llvm::SmallVector<Extent> rowMajorSteps(llvm::ArrayRef<Extent> extents);

/// The true extents of a tensor, which lies row-major by them.
llvm::SmallVector<Extent> trueExtents(mlir::RankedTensorType type);

/// A tensor that loops walk by a map.
struct WalkedTensor {
  mlir::AffineMap map;
  mlir::RankedTensorType type;
  /// Loops may walk the first part of its fixed dimensions only: it is all in
  /// memory, whatever the kernel reads of it.
  bool mayBeLonger = false;

  WalkedTensor(mlir::AffineMap map, mlir::RankedTensorType type)
      : map(map), type(type) {}
  /// One that is read.
  WalkedTensor(mlir::AffineMap map, mlir::Value read);
};

/// How far the loops of `op` run that walk tensors by maps, each at most to its
/// `bounds`. Fails with a diagnostic where tensors disagree, and where nothing
/// tells how far a loop runs that walks a sized dimension.
mlir::FailureOr<llvm::SmallVector<Extent>>
loopExtents(mlir::Operation *op, llvm::ArrayRef<int64_t> bounds,
            llvm::ArrayRef<WalkedTensor> walked);

/// The element at iteration point d of a tensor:
/// `offset + sum of strides[i] * d[i]`, in elements.
struct TrueAccess {
  Extent offset;
  llvm::SmallVector<Extent> strides;

  /// What `map`, whose results are linear, reads of a tensor of `type`.
  TrueAccess(mlir::AffineMap map, mlir::RankedTensorType type);
  /// Strides of 0.
  explicit TrueAccess(unsigned dims = 0) : strides(dims) {}
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_EXTENT_H
