// A lowered model knows no target. What dispatch decides depends on a target's
// facts alone, so that it is done once where these are equal: the processors of
// an artifact share kernels' functions, launches and weights until code is
// made.

#include "Fork.h"

#include "CodeGenerator.h"
#include "LayOutAtLoad.h"
#include "heddle/Support/Diagnostics.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace heddle;

/// After a stage.
static LogicalResult tell(Stage stage, ModuleOp module,
                          const CompileOptions &options) {
  return options.afterStage ? options.afterStage(stageName(stage), module)
                            : success();
}

LogicalResult heddle::passStage(Stage stage, ModuleOp module,
                                const CompileOptions &options) {
  if (failed(runStage(stage, module)))
    return failure();
  return tell(stage, module, options);
}

/// Whether one dispatched module does for both.
static bool dispatchAlike(const Target &one, const Target &other) {
  return one.kind() == other.kind() &&
         one.dispatchFacts() == other.dispatchFacts();
}

std::vector<SmallVector<unsigned>>
heddle::setsDispatchedAlike(ArrayRef<std::shared_ptr<const Target>> targets) {
  std::vector<SmallVector<unsigned>> sets;
  for (unsigned i = 0; i < targets.size(); ++i) {
    auto same = llvm::find_if(sets, [&](const SmallVector<unsigned> &set) {
      return dispatchAlike(*targets[set.front()], *targets[i]);
    });
    if (same == sets.end())
      same = sets.emplace(sets.end());
    same->push_back(i);
  }
  return sets;
}

static LogicalResult checkGenerators(ModuleOp module,
                                     const CompileOptions &options) {
  for (const std::shared_ptr<const Target> &target : options.targets)
    if (!findCodeGenerator(*target))
      return emitError(module.getLoc(), ErrorCode::TargetIllegal)
             << "there is no code generator for " << target->name()
             << ", a target of the kind " << target->kind();
  return success();
}

FailureOr<std::vector<DispatchedModule>>
heddle::dispatchForTargets(ModuleOp lowered, const CompileOptions &options) {
  if (failed(checkGenerators(lowered, options)))
    return failure();
  std::vector<DispatchedModule> all;
  for (SmallVector<unsigned> &set : setsDispatchedAlike(options.targets))
    all.emplace_back().targets = std::move(set);
  for (DispatchedModule &one : all) {
    one.module = lowered;
    if (&one != &all.back()) {
      one.copy = lowered.clone();
      one.module = *one.copy;
    }
  }
  for (DispatchedModule &one : all) {
    const Target &target = *options.targets[one.targets.front()];
    one.module->setAttr(targetAttrName,
                        targetAttr(target, lowered.getContext()));
    PassManager manager(lowered.getContext());
    findCodeGenerator(target)->buildDispatch(manager);
    if (failed(manager.run(one.module)) ||
        failed(tell(Stage::Dispatch, one.module, options)))
      return failure();
  }
  layOutAtLoad(all, options);
  return std::move(all);
}

FailureOr<std::vector<DispatchedModule>>
heddle::takeDispatched(ModuleOp module, const CompileOptions &options) {
  if (failed(checkGenerators(module, options)))
    return failure();
  std::shared_ptr<const Target> own = targetOf(module);
  if (!own)
    return emitError(module.getLoc(), ErrorCode::TargetIllegal)
           << "the module does not say which target it was dispatched for";
  std::vector<DispatchedModule> all(1);
  all[0].module = module;
  for (const auto &[i, target] : llvm::enumerate(options.targets)) {
    if (!dispatchAlike(*own, *target))
      return emitError(module.getLoc(), ErrorCode::TargetIllegal)
             << "the module was dispatched for " << own->name()
             << ", and kernels of " << target->name()
             << " are cut otherwise; start from heddle-lower";
    all[0].targets.push_back(i);
  }
  return std::move(all);
}
