// heddle-graph: from an imported model to StableHLO that is ready to be cut
// into dispatches.

#ifndef HEDDLE_PIPELINE_GRAPHPIPELINE_H
#define HEDDLE_PIPELINE_GRAPHPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

/// Simplified StableHLO where attention is a composite; convolutions have
/// channels last.
void buildGraphPipeline(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_PIPELINE_GRAPHPIPELINE_H
