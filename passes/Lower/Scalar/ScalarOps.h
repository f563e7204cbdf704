// What StableHLO's elementwise ops do to one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The element type of tensors from here on: integers lose their sign, which
/// the ops carry. Null for what no tensor of a lowered program has (complex,
/// quantized).
mlir::Type loweredElementType(mlir::Type type);
/// The same for a tensor.
mlir::RankedTensorType loweredTensorType(mlir::Type type);

/// Whether `op` computes each element of its result from the elements of its
/// operands at the same place, and can be a scalar payload.
bool isScalarizable(mlir::Operation *op);

/// Emits `op`, for which isScalarizable holds, on scalars. Null, and nothing
/// emitted that matters, if its types are not supported.
mlir::Value emitScalarOp(mlir::OpBuilder &builder, mlir::Operation *op,
                         mlir::ValueRange scalars);

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

#endif // HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H
