// Which operations have kernels over true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H
#define HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H

#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Whether kernels compute `op` over the true extents of its operands and
/// results, which lie row-major by them: then types keep their extents, and
/// nothing is masked. So it is of each operation that no size of a call
/// reaches.
bool runsOverTrueExtents(mlir::Operation *op, const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TRUEEXTENTS_H
