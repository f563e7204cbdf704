// One emitter per family of kernels. Each fills a started frame and finishes
// it, or fails with a diagnostic at the op it cannot lower.

#ifndef HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H
#define HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H

#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Kernels of `linalg.generic` alone: elementwise, reductions, rows, gathers.
mlir::LogicalResult emitLoopKernel(KernelFrame &frame);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H
