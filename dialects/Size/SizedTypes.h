// Tensor types made of the sizes of others: bounds and true extents together.

#ifndef HEDDLE_DIALECTS_SIZE_SIZEDTYPES_H
#define HEDDLE_DIALECTS_SIZE_SIZEDTYPES_H

#include "dialects/Size/Expression.h"

#include "mlir/IR/Operation.h"

namespace heddle::size {

/// The sizes of a tensor that is put together dimension by dimension.
class SizedShape {
public:
  /// A size that is the same at each call.
  SizedShape &add(int64_t size);
  SizedShape &add(mlir::RankedTensorType type, int64_t dimension);
  SizedShape &add(mlir::RankedTensorType type,
                  llvm::ArrayRef<int64_t> dimensions);
  /// All dimensions of `type` from `begin` to `end`, which is not among them.
  SizedShape &add(mlir::RankedTensorType type, int64_t begin, int64_t end);

  mlir::RankedTensorType of(mlir::Type element) const;

private:
  llvm::SmallVector<int64_t> bounds;
  /// Null for what is constant.
  llvm::SmallVector<Expression> extents;
};

/// The dimensions of `type` that `dimensions` names, in this order.
mlir::RankedTensorType withDimensions(mlir::RankedTensorType type,
                                      llvm::ArrayRef<int64_t> dimensions);

/// All elements of `type` in a row.
mlir::RankedTensorType flattened(mlir::RankedTensorType type);

/// Whether the size of a dimension is the same at each call.
bool isKnown(mlir::RankedTensorType type, int64_t dimension);
/// Whether a dimension has one element at each call.
bool isOne(mlir::RankedTensorType type, int64_t dimension);
/// Whether two dimensions have one bound and one extent.
bool isSameSize(mlir::RankedTensorType a, int64_t i, mlir::RankedTensorType b,
                int64_t j);
/// The same of all dimensions.
bool haveSameSizes(mlir::RankedTensorType a, mlir::RankedTensorType b);
/// How many elements `type` truly has; null where the expression would be too
/// long.
Expression elementsOf(mlir::RankedTensorType type);
/// Whether both are known to have one number of elements at each call.
bool haveAsManyElements(mlir::RankedTensorType a, mlir::RankedTensorType b);

/// Whether an attribute of `op` depends on a size.
bool hasSizedAttributes(mlir::Operation *op);
/// Whether an operand, a result or an attribute of `op` depends on a size.
bool isSized(mlir::Operation *op);

} // namespace heddle::size

#endif // HEDDLE_DIALECTS_SIZE_SIZEDTYPES_H
