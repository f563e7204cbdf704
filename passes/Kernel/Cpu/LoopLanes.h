// Along which loop the lanes of a kernel of generics run.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPLANES_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPLANES_H

#include "passes/Kernel/Cpu/SharedLoops.h"

namespace heddle {

/// Chooses the loop of the lanes, one of `shared` or the last of each stage's
/// own, and orders the loops of all stages: first the shared ones, of which
/// that of the lanes becomes the last.
void orderLoops(LoopKernelPlan &plan, const KernelFrame &frame,
                SharedLoops shared);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPLANES_H
