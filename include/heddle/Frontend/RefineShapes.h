// Programs of open sizes, called with arguments of known ones.

#ifndef HEDDLE_FRONTEND_REFINESHAPES_H
#define HEDDLE_FRONTEND_REFINESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Gives the arguments of `entry` these types, and every value behind them the
/// type that follows: calls are inlined, sizes that are computed become
/// constants. Assertions about shapes that hold are gone, one that does not is
/// an error. Fails, naming the operation, where a size stays unknown.
mlir::LogicalResult refineShapes(mlir::func::FuncOp entry,
                                 mlir::TypeRange argumentTypes);

/// Gives every value behind the entry's arguments, whose sizes are known, the
/// type that follows, where all sizes do. Returns what the entry is then: the
/// module's operations are others. Fails where a size that was open makes an
/// operation break a rule, which its verifier could not see.
mlir::FailureOr<mlir::func::FuncOp> closeOpenSizes(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_FRONTEND_REFINESHAPES_H
