// Loops that all generics of a kernel have in common.

#ifndef HEDDLE_PASSES_KERNEL_CPU_SHAREDLOOPS_H
#define HEDDLE_PASSES_KERNEL_CPU_SHAREDLOOPS_H

#include "passes/Kernel/Cpu/LoopKernel.h"

namespace heddle {

/// Of each shared loop, the number that it has in each stage.
using SharedLoops = llvm::SmallVector<llvm::SmallVector<unsigned>>;

/// Loops are shared if every stage of `plan` has them in parallel and all
/// values that pass from stage to stage are aligned along them.
SharedLoops findSharedLoops(const LoopKernelPlan &plan);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_SHAREDLOOPS_H
