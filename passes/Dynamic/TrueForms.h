// Operations in forms that have kernels over true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H
#define HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H

#include "passes/Dynamic/BoundedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Writes slices whose starts follow from sizes as dynamic ones, what walks an
/// open dimension in steps or from its end as gathers, padding as the update of
/// what is padded with, and convolutions of cut images as such of fewer points,
/// where they have no kernel over true extents as they are.
void writeInTrueForms(mlir::func::FuncOp entry, const BoundedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TRUEFORMS_H
