#include "passes/Kernel/Cpu/Work.h"

#include "dialects/Kernel/BriefKernels.h"

namespace heddle {

/// Kernels that take no longer than this are brief: as long as some ten of them
/// take to start.
static constexpr double briefNanoseconds = 20000;

void expectWork(KernelFrame &frame, double nanoseconds) {
  if (nanoseconds <= briefNanoseconds)
    frame.function->setAttr(kernel::kBriefAttrName,
                            frame.builder.getUnitAttr());
}

double contractionNanoseconds(double flops, double outputs) {
  // In blocked code. The vectors of an activation such as gelu take some ten
  // nanoseconds.
  constexpr double perFlop = 0.01, perOutput = 0.5;
  return perFlop * flops + perOutput * outputs;
}

} // namespace heddle
