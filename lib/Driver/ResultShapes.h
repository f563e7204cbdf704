// Shapes of results that operands tell.

#ifndef HEDDLE_LIB_DRIVER_RESULTSHAPES_H
#define HEDDLE_LIB_DRIVER_RESULTSHAPES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace heddle {

/// The shape of an operation's one result where its operands' types and
/// constants say it and no interface does.
std::optional<llvm::SmallVector<int64_t>> shapeOfResult(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_RESULTSHAPES_H
