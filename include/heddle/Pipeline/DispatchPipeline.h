// heddle-dispatch: from roots and loops to the kernels of one target.

#ifndef HEDDLE_PIPELINE_DISPATCHPIPELINE_H
#define HEDDLE_PIPELINE_DISPATCHPIPELINE_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace heddle {

struct DispatchPipelineOptions
    : mlir::PassPipelineOptions<DispatchPipelineOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("The name of the target; without it the module's "
                     "'heddle.target' says it")};
};

/// Kernel functions, launches and packed weights, as the target's
/// `DispatchFacts` want them: modules of targets whose facts are equal differ
/// in `heddle.target` only.
void buildDispatchPipeline(mlir::OpPassManager &manager,
                           const DispatchPipelineOptions &options);

} // namespace heddle

#endif // HEDDLE_PIPELINE_DISPATCHPIPELINE_H
