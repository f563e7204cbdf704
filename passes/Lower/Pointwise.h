// Loops over the points of one tensor.

#ifndef HEDDLE_PASSES_LOWER_POINTWISE_H
#define HEDDLE_PASSES_LOWER_POINTWISE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace heddle {

/// What a point is, computed from a point of each input; null if it cannot be.
using Payload = llvm::function_ref<mlir::Value(
    mlir::OpBuilder &, mlir::Location, mlir::ValueRange)>;

/// An all-parallel linalg.generic over the points of `type`, whose inputs are
/// read through `maps`; null if the payload gives null.
mlir::Value createPointwise(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::RankedTensorType type,
                            mlir::ValueRange inputs,
                            llvm::ArrayRef<mlir::AffineMap> maps,
                            Payload payload);

/// The number that a tensor holds everywhere, if a loop says it; else null.
mlir::Attribute constantOf(mlir::Value tensor);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_POINTWISE_H
