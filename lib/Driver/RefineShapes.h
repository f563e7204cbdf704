// Programs of open sizes, called with arguments of known ones.

#ifndef HEDDLE_LIB_DRIVER_REFINESHAPES_H
#define HEDDLE_LIB_DRIVER_REFINESHAPES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Gives the arguments of `entry` these types, and every value behind them the
/// type that follows: calls are inlined, sizes that are computed become
/// constants. Assertions about shapes that hold are gone, one that does not is
/// an error. Fails, naming the operation, where a size stays unknown.
mlir::LogicalResult refineShapes(mlir::func::FuncOp entry,
                                 mlir::TypeRange argumentTypes);

/// Reports a program of known arguments whose open sizes, once they are known,
/// make an operation that breaks a rule: its verifier could not see that.
mlir::LogicalResult checkOpenSizes(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_REFINESHAPES_H
