// The graphics processor that a module is compiled for.

#ifndef HEDDLE_PASSES_KERNEL_GPU_MODULETARGET_H
#define HEDDLE_PASSES_KERNEL_GPU_MODULETARGET_H

#include "heddle/Target/GpuTarget.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace heddle {

/// The graphics processor that `heddle.target` of `module` names; null, after
/// an error, if it names another kind of target or none.
std::shared_ptr<const GpuTarget> gpuTargetOf(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_MODULETARGET_H
