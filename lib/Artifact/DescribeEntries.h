// What an artifact says of entries: their tensors and states, and the ranks
// that run them together.

#ifndef HEDDLE_LIB_ARTIFACT_DESCRIBEENTRIES_H
#define HEDDLE_LIB_ARTIFACT_DESCRIBEENTRIES_H

#include "ExpressionTable.h"

namespace heddle {

/// Adds the module's entries to the manifest, with their symbols, states and
/// ranks. `constant` makes expressions of the manifest. Fails with a
/// diagnostic.
mlir::LogicalResult describeEntries(mlir::ModuleOp module,
                                    format::ManifestT &manifest,
                                    ExpressionTable &constant,
                                    NodeTable &nodes);

/// Adds cuts that the IR has as triples (PartTypes.h).
void addCuts(std::vector<format::Cut> &cuts, llvm::ArrayRef<int64_t> triples);

} // namespace heddle

#endif // HEDDLE_LIB_ARTIFACT_DESCRIBEENTRIES_H
