// Asks a module which graphics processor it is compiled for.

#include "passes/Kernel/Gpu/ModuleTarget.h"

using namespace mlir;

namespace heddle {

std::shared_ptr<const GpuTarget> gpuTargetOf(ModuleOp module) {
  std::shared_ptr<const Target> given = targetOf(module);
  auto gpu = dyn_cast_if_present<GpuTarget>(given.get());
  if (!gpu)
    module.emitError("no graphics processor to compile kernels for: set "
                     "'heddle.target' on the module");
  return {std::move(given), gpu};
}

} // namespace heddle
