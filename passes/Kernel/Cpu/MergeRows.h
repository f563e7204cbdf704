// The rows of a product, where calls say how many there are, as one dimension.

#ifndef HEDDLE_PASSES_KERNEL_CPU_MERGEROWS_H
#define HEDDLE_PASSES_KERNEL_CPU_MERGEROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes dimensions of rows one, if a call says how many rows they are and all
/// that has both lies by them: `[batch, sequence, 768]` becomes
/// `[batch * sequence, 768]`. Tiles are then cut from all rows, where few of
/// one dimension would make many low tiles. Memory and results stay as they
/// are.
void mergeRows(mlir::func::FuncOp kernel);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_MERGEROWS_H
