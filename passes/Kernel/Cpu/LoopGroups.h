// Which generics of a kernel are computed together.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPGROUPS_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPGROUPS_H

#include "passes/Kernel/Cpu/LoopKernel.h"

namespace heddle {

/// Puts the stages of `plan` into groups, in their order, and finds the row
/// buffers: what later groups read.
void formGroups(LoopKernelPlan &plan, const KernelFrame &frame);

/// Drops loops of one point and joins loops that are walked as one, within each
/// group.
void mergeGroupLoops(LoopKernelPlan &plan);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPGROUPS_H
