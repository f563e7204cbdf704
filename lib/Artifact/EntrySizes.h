// What an artifact says of the sizes that calls choose: symbols, how a call
// tells each of them, and what entries take for granted.

#ifndef HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H
#define HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H

#include "lib/Artifact/ExpressionTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Adds the module's symbols, in their order.
void addSymbols(mlir::ModuleOp module, format::ManifestT &manifest);

/// Gives lengths to the states that `function` reads by them: their symbols'
/// source becomes the state, the first one where several share it. `numbers`
/// are those of the manifest's states.
mlir::LogicalResult
addStateLengths(mlir::func::FuncOp function,
                const llvm::DenseMap<mlir::StringAttr, uint32_t> &numbers,
                format::ManifestT &manifest);

/// What the length of `state`, which has one and is kept by `result`, is after
/// a call; none if that is not said.
std::optional<size::Expression> lengthAfter(mlir::func::FuncOp function,
                                            unsigned result,
                                            const format::StateT &state);

/// Completes the description of `function`, whose tensors it has, by its
/// solutions and assumptions, and by the symbols that a call has to give, whose
/// source becomes the caller. `constant` makes expressions of the manifest.
void addEntrySizes(mlir::func::FuncOp function, format::EntryT &entry,
                   format::ManifestT &manifest, ExpressionTable &constant,
                   NodeTable &nodes);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_ENTRYSIZES_H
