// What the operations of CHLO that broadcast are in StableHLO.

#ifndef HEDDLE_DIALECTS_CHLO_BROADCASTING_H
#define HEDDLE_DIALECTS_CHLO_BROADCASTING_H

#include "mlir/IR/Builders.h"

#include <optional>

namespace heddle::chlo {

/// The names of the operations that `expandBroadcasting` knows.
llvm::ArrayRef<llvm::StringLiteral> broadcastingOperations();

/// The shape that the operands of one of these are broadcast to; nothing for
/// another operation, or where they do not go together.
std::optional<llvm::SmallVector<int64_t>> broadcastShape(mlir::Operation *op);

/// Writes what `op` computes of `operands`, which take the place of its own, in
/// StableHLO; null where a shape is not known. `always`: every operand gets a
/// broadcast, also one that has the shape, so that the operations do not depend
/// on the sizes.
mlir::Value expandBroadcasting(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::ValueRange operands, bool always = false);

} // namespace heddle::chlo

#endif // HEDDLE_DIALECTS_CHLO_BROADCASTING_H
