// Whether kernels can run over the true extents of a program.

#ifndef HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H
#define HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H

#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Whether kernels compute `op` over the true extents of its operands and
/// results, which lie row-major by them: then types keep their extents, and
/// nothing is masked. So it is of each operation that no size of a call
/// reaches.
bool runsOverTrueExtents(mlir::Operation *op, const BoundedSizes &sizes);

/// Holds computed positions within what they point into at each call.
void holdWithinTrueExtents(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H
