// What callers see of sizes that they choose, said by the entry.

#ifndef HEDDLE_PASSES_DYNAMIC_DECLARESIZES_H
#define HEDDLE_PASSES_DYNAMIC_DECLARESIZES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Gives `entry` an argument for each symbol of its module (`heddle.extent`),
/// and its arguments and results of open size their shape (`heddle.shape`).
mlir::LogicalResult declareSizes(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_DECLARESIZES_H
