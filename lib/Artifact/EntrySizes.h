// What an artifact says of the sizes that calls choose: symbols, how a call
// tells each of them, and what entries take for granted.

#ifndef HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H
#define HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H

#include "PlanWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Adds the module's symbols, in their order.
void addSymbols(mlir::ModuleOp module, format::ManifestT &manifest);

/// Completes the description of `function`, whose tensors it has, by its
/// solutions and assumptions, and by the symbols that a call has to give, whose
/// source becomes the caller. `constant` makes expressions of the manifest.
void addEntrySizes(mlir::func::FuncOp function, format::EntryT &entry,
                   format::ManifestT &manifest, ConstantTable &constant,
                   NodeTable &nodes);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H
