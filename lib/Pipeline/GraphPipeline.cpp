#include "heddle/Pipeline/GraphPipeline.h"

#include "passes/Graph/Passes.h"
#include "passes/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildGraphPipeline(OpPassManager &manager,
                                const GraphPipelineOptions &options) {
  // Before anything folds: a quantization is no identity.
  manager.addPass(createImportQuantized());
  manager.addPass(createInlineCalls());
  manager.addPass(createFoldCollectives());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createExpandCustomCalls());
  manager.addPass(createSimplify());
  // Batch norms are taken apart before the recognizers look for norms.
  manager.addPass(createFoldScaleIntoWeights());
  if (options.recognizeComposites)
    manager.addPass(createRecognizeComposites());
  manager.addPass(createAssignConvolutionLayout());
  if (options.mergeDotsMaxRows > 0) {
    MergeParallelDotsOptions merge;
    merge.maxRows = options.mergeDotsMaxRows;
    manager.addPass(createMergeParallelDots(merge));
  }
  manager.addPass(createSimplify());
  manager.addPass(createExpandQuantization());
  manager.addPass(createSymbolDCEPass());
}
