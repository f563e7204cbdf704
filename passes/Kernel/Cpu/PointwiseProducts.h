// Convolutions that are products of matrices.

#ifndef HEDDLE_PASSES_KERNEL_CPU_POINTWISEPRODUCTS_H
#define HEDDLE_PASSES_KERNEL_CPU_POINTWISEPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Writes convolutions of single neighbouring points as `kernel.contract` where
/// a call says how many images or points there are: rows are then cut from the
/// points of all images (`mergeRows`), for one image may have few. Filters are
/// in panels of `panelColumns` or none. Memory stays as it is.
void makePointwiseProducts(mlir::func::FuncOp kernel, int64_t panelColumns);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_POINTWISEPRODUCTS_H
