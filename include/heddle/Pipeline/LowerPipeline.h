// heddle-lower: from StableHLO to roots and loops on logical tensors, the same
// for all targets.

#ifndef HEDDLE_PIPELINE_LOWERPIPELINE_H
#define HEDDLE_PIPELINE_LOWERPIPELINE_H

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

/// Real tensors, weights as programs over handles, roots and loops. Nothing in
/// the result depends on a target; each dispatches a copy of it.
void buildLowerPipeline(mlir::OpPassManager &manager);

} // namespace heddle

#endif // HEDDLE_PIPELINE_LOWERPIPELINE_H
