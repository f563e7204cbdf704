#include "passes/Dispatch/Passes.h"
#include "passes/Lower/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

void heddle::buildDispatchPipeline(OpPassManager &manager) {
  manager.addPass(createInlineComposites());
  // Composites without a kernel are inlined by now, and weights are formed from
  // the parts that are read.
  manager.addPass(createSplitComplex());
  manager.addPass(createEvaluateConstants());
  manager.addPass(createFormWeights());
  manager.addPass(createLowerGraph());
  manager.addNestedPass<func::FuncOp>(createFuseElementwise());
  manager.addPass(createPackWeights());
  manager.addNestedPass<func::FuncOp>(createFormDispatches());
  manager.addPass(createOutlineDispatches());
  manager.addPass(createVerifyDispatched());
}
