// Operations in forms that have kernels over true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H
#define HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H

#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Writes slices whose starts follow from sizes as dynamic ones, what walks an
/// open dimension in steps or from its end as gathers, and padding around a
/// tensor as its update into what is padded with, where they have no kernel
/// over true extents as they are.
void writeInTrueForms(mlir::func::FuncOp entry, const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H
