// Types of results where calls choose sizes.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDTYPES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDTYPES_H

#include "lib/Frontend/StableHlo/ImportedSizes.h"

#include "mlir/IR/Operation.h"

namespace heddle {

/// Gives the results of `op`, whose operands have their types, the extents that
/// its rule says. What is carried around a loop and what branches give is typed
/// by whoever walks into them.
mlir::LogicalResult setSizedTypes(mlir::Operation *op, ImportedSizes &sizes);

/// Cuts operands of `op` so that dimensions which it wants equal have one
/// bound.
mlir::LogicalResult narrowOperands(mlir::Operation *op, ImportedSizes &sizes);

/// Writes an operation of CHLO that broadcasts in StableHLO before it, and
/// takes it away; whether it was one. What was written has open sizes.
mlir::FailureOr<bool> expandSized(mlir::Operation *op, ImportedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_SIZEDTYPES_H
