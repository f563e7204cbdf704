// Programs with sizes that are known when running, up to a bound.

#ifndef HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H
#define HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace heddle {

/// Makes `module`, a program whose types say their true extents, one on tensors
/// of the bounds: the extents become values, and what lies beyond them is kept
/// from what is computed. Its sizes are those of `heddle.symbols`.
///
/// @main gets an argument for each symbol (`heddle.extent`); its arguments and
/// results of bounded size say their true shape (`heddle.shape`). Reports what
/// cannot be computed exactly so.
mlir::LogicalResult boundDimensions(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H
