// The table of stages, and how one is run.

#include "heddle/Pipeline/Stages.h"

#include "heddle/Pipeline/DispatchPipeline.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Pipeline/LowerPipeline.h"
#include "heddle/Pipeline/PlanPipeline.h"
#include "heddle/Target/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

/// The stages that all targets have.
static const StageInfo table[] = {
    {Stage::Import, "import", "StableHLO as the model's file has it", nullptr,
     /*perTarget=*/false, /*onTensors=*/true},
    {Stage::Graph, "heddle-graph",
     "simplified StableHLO with composites and quantization; channels last",
     buildGraphPipeline, /*perTarget=*/false, /*onTensors=*/true},
    {Stage::Lower, "heddle-lower",
     "roots, quantization and loops on logical tensors; weights as programs",
     buildLowerPipeline, /*perTarget=*/false, /*onTensors=*/true},
    {Stage::Dispatch, "heddle-dispatch",
     "kernel functions, launches, stored weights; no tensor operation between",
     [](OpPassManager &manager) {
       buildDispatchPipeline(manager, DispatchPipelineOptions());
     },
     /*perTarget=*/true, /*onTensors=*/true},
    {Stage::Plan, "heddle-plan",
     "commands over buffers at fixed places, in queues of devices",
     [](OpPassManager &manager) { buildPlanPipeline(manager); },
     /*perTarget=*/true, /*onTensors=*/false},
};

std::vector<StageInfo> heddle::stages() {
  std::vector<StageInfo> all;
  for (const StageInfo &info : table) {
    if (info.stage == Stage::Plan)
      for (const TargetKind &kind : targetKinds())
        for (const KernelStage &stage : kind.kernelStages)
          all.push_back({Stage::Kernel, stage.name, stage.holds, nullptr,
                         /*perTarget=*/true, /*onTensors=*/false, kind.name});
    all.push_back(info);
  }
  return all;
}

const StageInfo &heddle::stageInfo(Stage stage) {
  const StageInfo *info = llvm::find_if(
      table, [&](const StageInfo &info) { return info.stage == stage; });
  assert(info != std::end(table) && "stages of kernels are asked for by name");
  return *info;
}

LogicalResult
heddle::runStage(Stage stage, ModuleOp module,
                 llvm::function_ref<void(PassManager &)> prepare) {
  PassManager manager(module.getContext());
  stageInfo(stage).build(manager);
  if (prepare)
    prepare(manager);
  return manager.run(module);
}

std::optional<StageInfo> heddle::findStage(StringRef name) {
  for (StageInfo &info : stages())
    if (info.name == name)
      return std::move(info);
  return std::nullopt;
}

std::string heddle::listStages(bool onTensors) {
  std::string list;
  for (const StageInfo &info : stages())
    if (!onTensors || info.onTensors)
      list += (list.empty() ? "" : ", ") + info.name.str();
  return list;
}
