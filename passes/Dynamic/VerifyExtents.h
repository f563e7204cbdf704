// Whether the types of a program say its true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_VERIFYEXTENTS_H
#define HEDDLE_PASSES_DYNAMIC_VERIFYEXTENTS_H

#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Asks each operation's rule for the extents of its results, and fails, after
/// an error that names the operation, where its types say something else. What
/// the types lack and rules give is added.
mlir::LogicalResult verifyExtents(mlir::func::FuncOp entry,
                                  const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_VERIFYEXTENTS_H
