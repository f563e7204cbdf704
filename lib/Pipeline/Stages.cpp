// The table of stages, and how one is run.

#include "heddle/Pipeline/Stages.h"

#include "heddle/Pipeline/DispatchPipeline.h"
#include "heddle/Pipeline/GraphPipeline.h"
#include "heddle/Pipeline/LowerPipeline.h"
#include "heddle/Pipeline/PlanPipeline.h"
#include "passes/Kernel/Cpu/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace heddle;

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
    {Stage::KernelCpu, "heddle-kernel-cpu",
     "the kernels as vectors and loops over flat buffers",
     [](OpPassManager &manager) { manager.addPass(createLowerKernels()); },
     /*perTarget=*/true, /*onTensors=*/false},
    {Stage::Plan, "heddle-plan",
     "commands over buffers at fixed places, in queues of devices",
     [](OpPassManager &manager) { buildPlanPipeline(manager); },
     /*perTarget=*/true, /*onTensors=*/false},
};

ArrayRef<StageInfo> heddle::stages() { return table; }

const StageInfo &heddle::stageInfo(Stage stage) {
  const StageInfo &info = table[static_cast<unsigned>(stage)];
  assert(info.stage == stage && "the table is in the order of the stages");
  return info;
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

const StageInfo *heddle::findStage(StringRef name) {
  const StageInfo *found = llvm::find_if(
      table, [&](const StageInfo &info) { return info.name == name; });
  return found == std::end(table) ? nullptr : found;
}

std::string heddle::listStages(bool onTensors) {
  std::string list;
  for (const StageInfo &info : table)
    if (!onTensors || info.onTensors)
      list += (list.empty() ? "" : ", ") + info.name.str();
  return list;
}
