// A lowered model knows no target. What dispatch decides depends on a target's
// facts alone, so that it is done once where these are equal: the processors of
// an artifact share kernels' functions, launches and weights until code is
// made.

#include "Fork.h"

#include "heddle/Support/Diagnostics.h"

using namespace mlir;
using namespace heddle;

/// The name where the table says the same of it, else everything.
static Attribute targetAttr(const CpuTarget &target, MLIRContext *context) {
  std::shared_ptr<const Target> named = findTarget(target.name());
  DictionaryAttr known = target.toAttr(context);
  if (named && named->toAttr(context) == known)
    return StringAttr::get(context, target.name());
  return known;
}

LogicalResult heddle::passStage(Stage stage, ModuleOp module,
                                const CompileOptions &options) {
  if (failed(runStage(stage, module)))
    return failure();
  return options.afterStage ? options.afterStage(stageName(stage), module)
                            : success();
}

FailureOr<std::vector<DispatchedModule>>
heddle::dispatchForMachines(ModuleOp lowered, const CompileOptions &options) {
  std::vector<DispatchedModule> all;
  std::vector<CpuTarget> targets;
  for (const auto &[i, machine] : llvm::enumerate(options.machines)) {
    CpuTarget target(machine);
    unsigned same = 0;
    while (same < targets.size() &&
           targets[same].dispatchFacts() != target.dispatchFacts())
      ++same;
    if (same == targets.size()) {
      targets.push_back(target);
      all.emplace_back();
    }
    all[same].machines.push_back(i);
  }
  for (auto [one, target] : llvm::zip_equal(all, targets)) {
    one.module = lowered;
    if (&one != &all.back()) {
      one.copy = lowered.clone();
      one.module = *one.copy;
    }
  }
  for (auto [one, target] : llvm::zip_equal(all, targets)) {
    one.module->setAttr(targetAttrName,
                        targetAttr(target, lowered.getContext()));
    if (failed(passStage(Stage::Dispatch, one.module, options)))
      return failure();
  }
  return std::move(all);
}

FailureOr<std::vector<DispatchedModule>>
heddle::takeDispatched(ModuleOp module, const CompileOptions &options) {
  std::shared_ptr<const Target> target = targetOf(module);
  if (!target)
    return emitError(module.getLoc(), ErrorCode::TargetIllegal)
           << "the module does not say which target it was dispatched for";
  std::vector<DispatchedModule> all(1);
  all[0].module = module;
  for (const auto &[i, machine] : llvm::enumerate(options.machines)) {
    if (CpuTarget(machine).dispatchFacts() != target->dispatchFacts())
      return emitError(module.getLoc(), ErrorCode::TargetIllegal)
             << "the module was dispatched for " << target->name()
             << ", and kernels of " << machine.name
             << " are cut otherwise; start from heddle-lower";
    all[0].machines.push_back(i);
  }
  return std::move(all);
}
