// Regions and constants of StableHLO on one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALARREGION_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALARREGION_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// Emits the region of a reduction, a scatter or a sort on scalars, and gives
/// what it returns. Fails if an op in it is no scalar computation; `culprit`
/// is set to that op.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitScalarRegion(mlir::OpBuilder &builder, mlir::Region &region,
                 mlir::ValueRange arguments, mlir::Operation *&culprit);

/// A constant scalar of `type` with an attribute's value (a splat or a tensor
/// of one element); null if there is none.
mlir::Value scalarConstant(mlir::OpBuilder &builder, mlir::Location loc,
                           mlir::ElementsAttr value, mlir::Type type);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALARREGION_H
