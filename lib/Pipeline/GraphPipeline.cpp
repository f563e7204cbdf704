// The passes of heddle-graph, in order.

#include "heddle/Pipeline/GraphPipeline.h"

#include "passes/Dynamic/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Precision/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::buildGraphPipeline(OpPassManager &manager) {
  // Before anything folds: a quantization is no identity.
  manager.addPass(createImportQuantized());
  manager.addPass(createInlineCalls());
  // Behind calls, which may stand between a weight and its product; before
  // folds, which change how minima are repeated.
  manager.addPass(createSplitMinima());
  manager.addPass(createFoldCollectives());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createExpandCustomCalls());
  manager.addPass(createSimplify());
  manager.addPass(createFoldScaleIntoWeights());
  manager.addPass(createRotateHalves());
  manager.addPass(createRecognizeAttention());
  manager.addPass(createAssignConvolutionLayout());
  manager.addPass(createSimplify());
  manager.addPass(createSymbolDCEPass());
  manager.addPass(createBoundDimensions());
}

void heddle::addPrecision(OpPassManager &manager, llvm::StringRef precision) {
  if (precision == "w8a16" || precision == "w4a16")
    manager.addPass(createQuantizeWeights({precision == "w8a16" ? 8 : 4}));
  else if (!precision.empty() && precision != "f32")
    manager.addPass(createCastProducts({precision.str()}));
}
