// The passes of heddle-dispatch, in order.

#include "heddle/Pipeline/DispatchPipeline.h"

#include "passes/Dispatch/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

void heddle::buildDispatchPipeline(OpPassManager &manager,
                                   const DispatchPipelineOptions &options) {
  AssignTargetOptions assign;
  assign.target = options.target;
  manager.addPass(createAssignTarget(assign));
  manager.addPass(createSelectComposites());
  manager.addPass(createMultiplyStored());
  manager.addPass(createExpandQuantization());
  manager.addPass(createSplitDilatedConvolution());
  manager.addPass(createLegalizeRoots());
  // Nothing behind it converts elements.
  manager.addPass(createLegalizeStorage());
  manager.addPass(createSplitConcatenations());
  manager.addNestedPass<func::FuncOp>(createFuseElementwise());
  manager.addPass(createPackWeights());
  manager.addNestedPass<func::FuncOp>(createFormDispatches());
  manager.addPass(createOutlineDispatches());
  manager.addPass(createVerifyDispatched());
}
