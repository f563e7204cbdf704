// What StableHLO's elementwise ops do to one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Whether `op` computes each element of its result from the elements of its
/// operands at the same place, and can be a scalar payload.
bool isScalarizable(mlir::Operation *op);

/// Emits `op`, for which isScalarizable holds, on scalars. Null, and nothing
/// emitted that matters, if its types are not supported.
mlir::Value emitScalarOp(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::ValueRange scalars);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H
