// What small tensors of integers hold, as expressions over the sizes that calls
// choose.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SIZECONTENTS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SIZECONTENTS_H

#include "dialects/Size/Ranges.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace heddle {

/// Programs compute sizes from sizes: by `get_dimension_size`, arithmetic,
/// comparisons and selections on scalars and short vectors, which they slice,
/// join and reshape. This follows them, with what ranges decide.
class SizeContents {
public:
  using Elements = llvm::SmallVector<size::Expression>;

  explicit SizeContents(const size::Ranges &ranges) : ranges(ranges) {}

  /// The elements of `value` in row-major order; nothing if it is no tensor of
  /// integers or bools, has more than 64 elements or is computed from others
  /// than sizes and constants. Arithmetic is on 64 bits: where a narrower type
  /// would wrap for some sizes, the elements are not known.
  std::optional<Elements> of(mlir::Value value);
  /// Before an operation is erased: another value may get the place of its
  /// results in memory.
  void forget(mlir::Operation *op);
  /// The only element.
  std::optional<size::Expression> scalarOf(mlir::Value value);

private:
  std::optional<Elements> compute(mlir::Value value);
  bool fits(const Elements &elements, mlir::Type element) const;

  const size::Ranges &ranges;
  /// How many values are looked at one within another: whoever walks a program
  /// in its order has asked for the operands before.
  unsigned depth = 0;
  /// What was found, also that nothing is known.
  llvm::DenseMap<mlir::Value, std::optional<Elements>> known;
};

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SIZECONTENTS_H
