// How long a kernel takes, as far as that decides how it is compiled.

#ifndef HEDDLE_PASSES_KERNEL_CPU_WORK_H
#define HEDDLE_PASSES_KERNEL_CPU_WORK_H

#include "heddle/Target/Target.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Says that all tiles together take about `nanoseconds` on one core, so that
/// the kernel is marked `kernel.brief` if these are few. A kernel of which
/// nothing is said may take any time.
void expectWork(KernelFrame &frame, double nanoseconds);

/// Nanoseconds of the operations of `work`, a contraction or convolution that
/// ends in `outputs` elements, each of which something more may be done with. A
/// step that takes several terms counts as one.
double contractionNanoseconds(const Machine &machine, const Work &work,
                              double outputs);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_WORK_H
