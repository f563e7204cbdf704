// Passes and pipelines by name, for tools that take them from a command line.

#include "heddle/Pipeline/Registration.h"

#include "heddle/Pipeline/DispatchPipeline.h"
#include "heddle/Pipeline/PartitionPipeline.h"
#include "heddle/Pipeline/Stages.h"
#include "heddle/Target/CpuTarget.h"
#include "heddle/Target/GpuTarget.h"
#include "passes/Dispatch/Passes.h"
#include "passes/Dynamic/Passes.h"
#include "passes/Graph/Passes.h"
#include "passes/Kernel/Cpu/Passes.h"
#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Math/Passes.h"
#include "passes/Lower/Passes.h"
#include "passes/Plan/Passes.h"
#include "passes/Precision/Passes.h"
#include "passes/Sharding/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void heddle::registerAllPasses() {
  registerHeddleGraphPasses();
  registerHeddleDynamicPasses();
  registerKernelCpuPasses();
  registerKernelGpuPasses();
  registerKernelMathPasses();
  registerHeddleLowerPasses();
  registerHeddleDispatchPasses();
  registerHeddlePlanPasses();
  registerHeddlePrecisionPasses();
  registerHeddleShardingPasses();
  PassPipelineRegistration<DispatchPipelineOptions>(
      stageName(Stage::Dispatch), stageInfo(Stage::Dispatch).holds,
      buildDispatchPipeline);
  for (Stage stage : {Stage::Graph, Stage::Lower, Stage::Plan})
    PassPipelineRegistration<>(stageName(stage), stageInfo(stage).holds,
                               stageInfo(stage).build);
  PassPipelineRegistration<>(
      "heddle-shard",
      "where tensors lie over a mesh of devices, from what is said of some",
      [](OpPassManager &manager) {
        manager.addPass(createInlineCalls());
        manager.addPass(createPropagateShardings());
      });
  PassPipelineRegistration<>(
      "heddle-partition",
      "the program that each device of a mesh runs, from a sharded one",
      buildPartitionPipeline);
  PassPipelineRegistration<>(
      "heddle-ranks",
      "the same as compiling takes it: without a mesh, with the cuts of what "
      "callers give",
      buildRanksPipeline);
  KernelStage kernels = CpuTarget::kernelStage();
  PassPipelineRegistration<>(
      kernels.name, kernels.holds,
      [](OpPassManager &manager) { manager.addPass(createLowerKernels()); });
  KernelStage grids = GpuTarget::kernelStage();
  PassPipelineRegistration<>(
      grids.name, grids.holds,
      [](OpPassManager &manager) { manager.addPass(createLowerGpuKernels()); });
}
