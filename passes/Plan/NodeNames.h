// The model's nodes in a location.

#ifndef HEDDLE_PASSES_PLAN_NODENAMES_H
#define HEDDLE_PASSES_PLAN_NODENAMES_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// Adds the names of all nodes that `location` names, in order, each once.
void collectNodeNames(mlir::Location location,
                      llvm::SetVector<mlir::StringAttr> &names);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_NODENAMES_H
