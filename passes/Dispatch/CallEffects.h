// The order that calls with effects keep while kernels are formed.

#ifndef HEDDLE_PASSES_DISPATCH_CALLEFFECTS_H
#define HEDDLE_PASSES_DISPATCH_CALLEFFECTS_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Whether `op` calls something that has an effect, itself or in a region. Such
/// ops keep their order, and nothing that depends on one is done before it.
bool hasCallEffect(mlir::Operation *op);

/// Sorts the ops of a block so that each stands behind what it reads; those
/// with an effect stay in order. False if there is no such order.
bool sortKeepingEffects(mlir::Block &block);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_CALLEFFECTS_H
