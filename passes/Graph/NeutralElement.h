// What joins two elements, and the element that changes nothing.

#ifndef HEDDLE_PASSES_GRAPH_NEUTRALELEMENT_H
#define HEDDLE_PASSES_GRAPH_NEUTRALELEMENT_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// The one operation of a region of two scalars, which takes both and gives
/// what the region does; null if the region is anything else.
mlir::Operation *joiningOperation(mlir::Block &body);

/// The element that changes nothing when an operation joins it with another;
/// null if there is none.
mlir::Attribute neutralElement(mlir::OperationName joining, mlir::Type element);

/// The same of an operation, which may be null.
mlir::Attribute neutralElement(mlir::Operation *joining, mlir::Type element);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_NEUTRALELEMENT_H
