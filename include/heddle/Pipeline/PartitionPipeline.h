// From a sharded program to the one that all devices of its mesh run.

#ifndef HEDDLE_PIPELINE_PARTITIONPIPELINE_H
#define HEDDLE_PIPELINE_PARTITIONPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace heddle {

/// Reads shardings in older words, inlines calls, splits constants, lets
/// shardings go on, and partitions.
void buildPartitionPipeline(mlir::OpPassManager &manager);

/// The same, and what compiling needs behind it: collectives along first
/// dimensions, cuts in place of shardings.
void buildRanksPipeline(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_PIPELINE_PARTITIONPIPELINE_H
