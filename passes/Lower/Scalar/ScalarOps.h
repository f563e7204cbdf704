// What StableHLO's elementwise ops do to one element.

#ifndef HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H
#define HEDDLE_PASSES_LOWER_SCALAR_SCALAROPS_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// The element type that kernels compute with: integers lose their sign, which
/// the ops carry from there on. Null for what kernels cannot hold (complex,
/// quantized).
mlir::Type kernelElementType(mlir::Type type);
/// The same for a tensor.
mlir::RankedTensorType kernelTensorType(mlir::Type type);

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
