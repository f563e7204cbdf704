// What the operations of CHLO that broadcast are in StableHLO.

#ifndef HEDDLE_DIALECTS_CHLO_BROADCASTING_H
#define HEDDLE_DIALECTS_CHLO_BROADCASTING_H

#include "mlir/IR/Builders.h"

namespace heddle::chlo {

/// The names of the operations that `expandBroadcasting` knows.
llvm::ArrayRef<llvm::StringLiteral> broadcastingOperations();

/// Writes what `op` computes of `operands`, which take the place of its own, in
/// StableHLO; null where a shape is not known.
mlir::Value expandBroadcasting(mlir::OpBuilder &builder, mlir::Operation *op,
                               mlir::ValueRange operands);

} // namespace heddle::chlo

#endif // HEDDLE_DIALECTS_CHLO_BROADCASTING_H
