// Divides the kernels of a program between the cpu and a device that runs other
// code.

#include "HostKernels.h"

#include "dialects/Kernel/CustomCalls.h"
#include "dialects/Kernel/Kernel.h"
#include "dialects/Plan/DeviceNames.h"
#include "heddle/Pipeline/PlanPipeline.h"

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
  return whole;
}

LogicalResult heddle::separateHostKernels(ModuleOp module, const Target &target,
                                          const Placement &placement) {
  if (!hasOwnDevices(target))
    return success();
  PassManager manager(module.getContext());
  addPlacement(manager, placement);
  if (failed(manager.run(module)))
    return failure();
  SymbolTable symbols(module);
  llvm::StringMap<SmallVector<kernel::LaunchOp>> onHost;
  llvm::StringMap<bool> onDevice;
  module.walk([&](kernel::LaunchOp launch) {
    if (launch->hasAttr(kernel::kPlaceAttrName))
      onDevice[launch.getKernel()] = true;
    else
      onHost[launch.getKernel()].push_back(launch);
  });
  // In the module's order, so that equal inputs give equal names.
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    auto launches = onHost.find(function.getName());
    if (launches == onHost.end() || !onDevice.contains(function.getName()) ||
        kernel::isCustomCall(function))
      continue;
    func::FuncOp copy = function.clone();
    copy.setName((function.getName() + "_host").str());
    StringAttr name = symbols.insert(copy, std::next(function->getIterator()));
    for (kernel::LaunchOp launch : launches->second)
      launch.setKernelAttr(FlatSymbolRefAttr::get(name));
  }
  return success();
}
