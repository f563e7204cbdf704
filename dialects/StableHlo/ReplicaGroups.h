// The groups of processes that a collective names, in whatever form.

#ifndef HEDDLE_DIALECTS_STABLEHLO_REPLICAGROUPS_H
#define HEDDLE_DIALECTS_STABLEHLO_REPLICAGROUPS_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle::stablehlo {

/// What the numbers of a collective's groups count: one of the specification's
/// process grouping strategies.
enum class ProcessGrouping {
  CrossReplica,
  CrossPartition,
  CrossReplicaAndPartition,
  FlattenedIds
};

using ProcessGroups = llvm::SmallVector<llvm::SmallVector<int64_t>>;

/// The groups' numbers without fill; of a mesh, its devices along the axes
/// named, for every position along the others. None where the mesh is a symbol
/// that is not at hand, or an axis is not one of the mesh's.
llvm::FailureOr<ProcessGroups> readReplicaGroups(mlir::Attribute groups);

/// Whether an operation means something else on each of several devices: it
/// asks which one it runs on, or takes something from the others.
bool isDistributed(mlir::Operation *op);

/// The strategy of a collective: by its channel, and whether ids are global.
ProcessGrouping processGrouping(mlir::Operation *collective);

} // namespace heddle::stablehlo

#endif // HEDDLE_DIALECTS_STABLEHLO_REPLICAGROUPS_H
