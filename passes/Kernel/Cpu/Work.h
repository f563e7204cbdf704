// How long a kernel takes, as far as that decides how it is compiled.

#ifndef HEDDLE_PASSES_KERNEL_CPU_WORK_H
#define HEDDLE_PASSES_KERNEL_CPU_WORK_H

#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Says that all tiles together take about `nanoseconds` on one core, so that
/// the kernel is marked `kernel.brief` if these are few. A kernel of which
/// nothing is said may take any time.
void expectWork(KernelFrame &frame, double nanoseconds);

/// Nanoseconds of a contraction or convolution of `flops` operations, summed
/// in `accumulator`, that ends in `outputs` elements, each of which something
/// more may be done with.
double contractionNanoseconds(const Machine &machine, double flops,
                              mlir::Type accumulator, double outputs);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_WORK_H
