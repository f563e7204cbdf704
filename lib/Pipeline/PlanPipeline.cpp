// The passes of heddle-plan, in order.

#include "heddle/Pipeline/PlanPipeline.h"

#include "passes/Plan/Passes.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

void heddle::addPlacement(OpPassManager &manager, const Placement &placement) {
  AssignPlacementOptions options;
  options.devices.assign(placement.devices.begin(), placement.devices.end());
  options.rules.assign(placement.rules.begin(), placement.rules.end());
  options.by = placement.by;
  options.isPiece = placement.isPiece;
  manager.addPass(createAssignPlacement(std::move(options)));
}

void heddle::buildPlanPipeline(OpPassManager &manager,
                               const Placement &placement) {
  addPlacement(manager, placement);
  manager.addPass(createInsertTransfers({placement.tensors}));
  manager.addPass(createBuildPlan());
}
