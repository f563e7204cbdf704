// Marks kernels that are expected to be brief.

#include "passes/Kernel/Cpu/Work.h"

#include "dialects/Kernel/BriefKernels.h"

namespace heddle {

void expectWork(KernelFrame &frame, double nanoseconds) {
  if (nanoseconds <= frame.machine.rates.briefNs)
    frame.function->setAttr(kernel::kBriefAttrName,
                            frame.builder.getUnitAttr());
}

double contractionNanoseconds(const Machine &machine, const Work &work,
                              double outputs) {
  double perFlop = 1e3 / machine.flopsPerUs(work.accumulator, work.factor);
  return perFlop * work.operations + machine.rates.outputNs * outputs;
}

} // namespace heddle
