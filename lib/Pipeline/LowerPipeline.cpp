// The passes of heddle-lower, in order.

#include "heddle/Pipeline/LowerPipeline.h"

#include "passes/Lower/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

void heddle::buildLowerPipeline(OpPassManager &manager) {
  manager.addPass(createInlineComposites());
  // Composites are operations by now, and weights are formed from the parts
  // that are read.
  manager.addPass(createSplitComplex());
  manager.addPass(createEvaluateConstants());
  manager.addPass(createFormWeights());
  manager.addPass(createLowerGraph());
  manager.addPass(createVerifyLowered());
}
