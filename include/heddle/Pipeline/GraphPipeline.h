// heddle-graph: from an imported model to StableHLO that is ready to be cut
// into dispatches.

#ifndef HEDDLE_PIPELINE_GRAPHPIPELINE_H
#define HEDDLE_PIPELINE_GRAPHPIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

struct GraphPipelineOptions : mlir::PassPipelineOptions<GraphPipelineOptions> {
  Option<int64_t> mergeDotsMaxRows{
      *this, "merge-dots-max-rows",
      llvm::cl::desc("Merge products of one tensor with several weights where "
                     "they have at most so many rows"),
      llvm::cl::init(0)};
};

/// Simplified StableHLO where attention is a composite; convolutions have
/// channels last.
void buildGraphPipeline(mlir::OpPassManager &manager,
                        const GraphPipelineOptions &options);

} // namespace heddle

#endif // HEDDLE_PIPELINE_GRAPHPIPELINE_H
