// Operations whose sizes are operands that are known.

#ifndef HEDDLE_PASSES_GRAPH_KNOWNSIZES_H
#define HEDDLE_PASSES_GRAPH_KNOWNSIZES_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Reports each operation below `root` whose known sizes contradict each other
/// or its result's type: nothing can be made of these, and their own verifiers
/// do not look at what operands hold. Fails if there is one.
mlir::LogicalResult reportContradictorySizes(mlir::Operation *root);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_KNOWNSIZES_H
