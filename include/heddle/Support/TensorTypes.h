// What tensors with a rank are, of values that are known to be such.

#ifndef HEDDLE_SUPPORT_TENSORTYPES_H
#define HEDDLE_SUPPORT_TENSORTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

namespace heddle {

inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}

inline mlir::Type elementOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType()).getElementType();
}

/// Whether what lies along a dimension follows each other in memory: each
/// dimension before it is 1.
inline bool isLeading(mlir::Value tensor, int64_t dim) {
  return llvm::all_of(shapeOf(tensor).take_front(dim),
                      [](int64_t size) { return size == 1; });
}

} // namespace heddle

#endif // HEDDLE_SUPPORT_TENSORTYPES_H
