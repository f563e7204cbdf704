// Operations whose sizes are operands that are known.

#ifndef HEDDLE_PASSES_GRAPH_KNOWNSIZES_H
#define HEDDLE_PASSES_GRAPH_KNOWNSIZES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

namespace heddle {

/// The form of `op` that has its sizes in attributes and types, before
/// `builder`; null for an operation without such a form, or where its sizes are
/// not known. Whether they fit each other, its verifier says.
mlir::Operation *createKnownForm(mlir::OpBuilder &builder, mlir::Operation *op);

/// Reports each operation below `root` whose known sizes contradict each other
/// or its result's type: nothing can be made of these, and their own verifiers
/// do not look at what operands hold. Fails if there is one.
mlir::LogicalResult reportContradictorySizes(mlir::Operation *root);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_KNOWNSIZES_H
