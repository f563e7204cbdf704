// Divides the kernels of a program between the cpu and a device that runs other
// code.

#include "HostKernels.h"

#include "CodeGenerator.h"
#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/GridKernels.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/DeviceNames.h"
#include "dialects/StableHlo/StableHlo.h"
#include "heddle/Pipeline/PlanPipeline.h"
#include "heddle/Support/Diagnostics.h"
#include "passes/Plan/NodeNames.h"
#include "passes/Plan/OrderCounts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace heddle;

bool heddle::hasOwnDevices(const Target &target) {
  return !llvm::is_contained(target.loaderNeeds().devices, plan::kCpu);
}

Placement heddle::placementFor(const Target &target, const Placement &asked) {
  if (!asked.empty() || !hasOwnDevices(target))
    return asked;
  Placement whole;
  whole.devices = {target.loaderNeeds().devices.front()};
  whole.tensors = asked.tensors;
  return whole;
}

/// Says of the kernels of `module` for which the target's generator has no code
/// why they stay on the cpu.
static void markHostKernels(ModuleOp module, const CodeGenerator &generator) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function->hasAttr(kernel::kEntryAttrName) ||
        kernel::isCustomCall(function))
      continue;
    std::string reason = generator.lackOfKernel(function);
    if (!reason.empty())
      function->setAttr(kernel::kHostAttrName,
                        StringAttr::get(module.getContext(), reason));
  }
}

/// Why `launch` of `function` cannot run on a device; empty if it can.
static std::string reasonToStay(kernel::LaunchOp launch,
                                func::FuncOp function) {
  if (kernel::isCustomCall(function))
    return "a function of the program that loads the artifact";
  if (auto reason = function->getAttrOfType<StringAttr>(kernel::kHostAttrName))
    return reason.str();
  if (hasCount(launch, function))
    return "what computes a size, or is told one, which is read on the cpu";
  for (Region *region = launch->getParentRegion(); region;
       region = region->getParentRegion())
    if (auto loop = dyn_cast<stablehlo::WhileOp>(region->getParentOp()))
      if (region == &loop.getCond())
        return "a part of a loop's condition, which is decided on the cpu";
  return {};
}

static FailureOr<std::vector<HostLaunch>>
explain(ArrayRef<kernel::LaunchOp> launches, const SymbolTable &symbols,
        const Target &target, bool noHost) {
  std::vector<HostLaunch> explained;
  for (kernel::LaunchOp launch : launches) {
    std::string reason =
        reasonToStay(launch, symbols.lookup<func::FuncOp>(launch.getKernel()));
    if (reason.empty())
      continue;
    if (noHost)
      return emitError(launch.getLoc(), ErrorCode::NoKernel)
             << "stays on the cpu, which --no-host refuses: " << reason
             << ", and devices of " << target.name() << " do not run that";
    llvm::SetVector<StringAttr> names;
    collectNodeNames(launch.getLoc(), names);
    explained.push_back(
        {names.empty() ? launch.getKernel().str() : names.front().str(),
         reason});
  }
  return explained;
}

/// Kernels of processors round no factors, and give what may be rounded on a
/// device at least as exactly.
static void dropRounding(func::FuncOp function) {
  function.walk([](kernel::AttentionOp op) {
    op.removeScoreAlgorithmAttr();
    op.removeValueAlgorithmAttr();
  });
}

FailureOr<std::vector<HostLaunch>>
heddle::separateHostKernels(ModuleOp module, const Target &target,
                            const Placement &placement, bool noHost) {
  if (!hasOwnDevices(target))
    return std::vector<HostLaunch>();
  markHostKernels(module, *findCodeGenerator(target));
  PassManager manager(module.getContext());
  addPlacement(manager, placement);
  if (failed(manager.run(module)))
    return failure();
  SymbolTable symbols(module);
  llvm::StringMap<SmallVector<kernel::LaunchOp>> onHost;
  llvm::StringMap<bool> onDevice;
  SmallVector<kernel::LaunchOp> staying;
  module.walk([&](kernel::LaunchOp launch) {
    if (launch->hasAttr(kernel::kPlaceAttrName)) {
      onDevice[launch.getKernel()] = true;
      return;
    }
    onHost[launch.getKernel()].push_back(launch);
    staying.push_back(launch);
  });
  auto explained = explain(staying, symbols, target, noHost);
  // In the module's order, so that equal inputs give equal names.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    auto launches = onHost.find(function.getName());
    if (launches == onHost.end() || kernel::isCustomCall(function))
      continue;
    if (!onDevice.contains(function.getName())) {
      dropRounding(function);
      continue;
    }
    func::FuncOp copy = function.clone();
    dropRounding(copy);
    copy.setName((function.getName() + "_host").str());
    StringAttr name = symbols.insert(copy, std::next(function->getIterator()));
    for (kernel::LaunchOp launch : launches->second)
      launch.setKernelAttr(FlatSymbolRefAttr::get(name));
  }
  return explained;
}
