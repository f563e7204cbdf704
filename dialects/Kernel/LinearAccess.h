// Where an indexing map reads.

#ifndef HEDDLE_DIALECTS_KERNEL_LINEARACCESS_H
#define HEDDLE_DIALECTS_KERNEL_LINEARACCESS_H

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace heddle::kernel {

/// The element at iteration point d of a row-major tensor:
/// `offset + sum of strides[i] * d[i]`, in elements.
struct LinearAccess {
  int64_t offset = 0;
  llvm::SmallVector<int64_t> strides;
};

/// Row-major strides of a static shape, in elements.
llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The expression as `constant + sum of coefficients[i] * d[i]`; nothing if it
/// is not linear (floordiv, mod, symbols).
std::optional<LinearAccess> linearExpression(mlir::AffineExpr expression,
                                             unsigned dims);

/// What `map` reads of a tensor of static shape `type`; nothing if one of its
/// results is not linear.
std::optional<LinearAccess> linearAccess(mlir::AffineMap map,
                                         mlir::RankedTensorType type);

/// Whether `map` over the extents `extents` stays inside `type`'s shape.
bool accessInBounds(mlir::AffineMap map, llvm::ArrayRef<int64_t> extents,
                    mlir::RankedTensorType type);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_LINEARACCESS_H
