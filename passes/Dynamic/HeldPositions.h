// Holds computed positions within true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_HELDPOSITIONS_H
#define HEDDLE_PASSES_DYNAMIC_HELDPOSITIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// A type for positions of the type `element` that holds any number up to
/// `bound`, too, and has a kernel that compares the two.
mlir::Type positionType(mlir::Type element, int64_t bound);
/// The same for numbers up to any extent of `pointee`, which has dimensions.
mlir::Type positionType(mlir::Type element, mlir::RankedTensorType pointee);

/// Holds the positions that a program computes within what they point into at
/// each call: lowering holds them within the bound.
void holdWithinTrueExtents(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_HELDPOSITIONS_H
