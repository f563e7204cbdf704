// Readers of an old value go before what overwrites it.

#ifndef HEDDLE_PASSES_PLAN_ORDERUPDATES_H
#define HEDDLE_PASSES_PLAN_ORDERUPDATES_H

#include "mlir/IR/Block.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// Moves ops of `block` that read a tensor before the launch that updates it in
/// place, where they do not depend on the update: otherwise the whole tensor
/// would be copied for their sake.
void orderUpdates(mlir::Block &block, mlir::SymbolTable &symbols);

/// Whether `op` calls a function with an effect, itself or in a region.
bool hasSideEffect(mlir::Operation *op, mlir::SymbolTable &symbols);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_ORDERUPDATES_H
