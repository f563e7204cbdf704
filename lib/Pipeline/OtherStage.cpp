// The stage of a module, by the operations in it: a dump may be named after
// another stage than the one it was made by.

#include "heddle/Pipeline/Stages.h"

#include "dialects/Chlo/Chlo.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/Plan.h"
#include "dialects/StableHlo/RegisteredCalls.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Target/Target.h"
#include "passes/Dispatch/DispatchGroups.h"
#include "passes/Lower/ControlFlow.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

/// The first stage that leaves such an operation in a program, where that is
/// not all of them.
static std::optional<Stage> stageLeaving(Operation *op) {
  // Those that stay until there are commands.
  if (isControlFlow(op) || stablehlo::isRegisteredCall(op))
    return std::nullopt;
  Dialect *dialect = op->getDialect();
  if (isa_and_nonnull<chlo::ChloDialect>(dialect))
    return Stage::Import;
  if (isa_and_nonnull<stablehlo::StableHloDialect>(dialect))
    return Stage::Graph;
  if (isa_and_nonnull<kernel::KernelDialect, linalg::LinalgDialect,
                      tensor::TensorDialect>(dialect))
    return Stage::Lower;
  return std::nullopt;
}

/// What the operations of the module's programs say. One that an earlier stage
/// would have taken away decides.
static std::optional<Stage> stageOfPrograms(ModuleOp module) {
  bool isDispatched = module->hasAttr(targetAttrName);
  module.walk([&](kernel::LaunchOp) {
    isDispatched = true;
    return WalkResult::interrupt();
  });
  std::optional<Stage> found;
  if (isDispatched)
    found = Stage::Dispatch;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function->hasAttr(kernel::kEntryAttrName))
      continue;
    for (Block *block : programBlocks(function))
      for (Operation &op : *block)
        if (!isDispatched || !staysOutside(&op))
          if (std::optional<Stage> stage = stageLeaving(&op))
            found = std::min(found.value_or(*stage), *stage);
  }
  return found;
}

/// The stage of its kernels, where they are lowered.
static std::optional<StageInfo> stageOfKernels(ModuleOp module) {
  for (const TargetKind &kind : targetKinds())
    for (const KernelStage &stage : llvm::reverse(kind.kernelStages))
      if (stage.isAt(module))
        return findStage(stage.name);
  return std::nullopt;
}

/// The stage that the module shows to be at, if it shows any.
static std::optional<StageInfo> shownStage(ModuleOp module) {
  if (!module.getOps<plan::ProgramOp>().empty())
    return stageInfo(Stage::Plan);
  if (std::optional<StageInfo> kernels = stageOfKernels(module))
    return kernels;
  if (std::optional<Stage> stage = stageOfPrograms(module))
    return stageInfo(*stage);
  return std::nullopt;
}

std::optional<StageInfo> heddle::otherStage(ModuleOp module, Stage wanted) {
  std::optional<StageInfo> found = shownStage(module);
  if (!found)
    // What computes nothing needs no kernel, but a target.
    return wanted == Stage::Dispatch ? std::optional(stageInfo(Stage::Lower))
                                     : std::nullopt;
  bool mayBe = found->stage == wanted ||
               (found->stage == Stage::Graph && wanted == Stage::Import);
  return mayBe ? std::nullopt : found;
}
