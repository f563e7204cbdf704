// Calls to functions that are registered where the artifact is loaded.

#ifndef HEDDLE_PASSES_LOWER_CUSTOMCALLS_H
#define HEDDLE_PASSES_LOWER_CUSTOMCALLS_H

#include "passes/Lower/GraphLowering.h"

namespace heddle {

/// Lowers a registered call: it stays a call, on tensors as kernels hold them,
/// and keeps what the model says of it.
bool lowerCustomCall(GraphLowering &lowering, mlir::Operation *op);

/// Makes a launch of a function without a body out of a lowered call.
void outlineCustomCall(stablehlo::CustomCallOp op);

/// Whether `op` calls something that has an effect, itself or in a region. Such
/// ops keep their order, and nothing that depends on one is done before it.
bool hasCallEffect(mlir::Operation *op);

/// Sorts the ops of a block so that each stands behind what it reads; those
/// with an effect stay in order. False if there is no such order.
bool sortKeepingEffects(mlir::Block &block);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_CUSTOMCALLS_H
