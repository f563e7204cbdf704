// Calls to functions that are registered where the artifact is loaded.

#ifndef HEDDLE_PASSES_LOWER_CUSTOMCALLS_H
#define HEDDLE_PASSES_LOWER_CUSTOMCALLS_H

#include "passes/Lower/GraphLowering.h"

namespace heddle {

/// Lowers a registered call: it stays a call, on tensors as kernels hold them,
/// and keeps what the model says of it.
bool lowerCustomCall(GraphLowering &lowering, mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_CUSTOMCALLS_H
