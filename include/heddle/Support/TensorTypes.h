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

} // namespace heddle

#endif // HEDDLE_SUPPORT_TENSORTYPES_H
