// Marks kernels that are expected to be brief.

#include "passes/Kernel/Cpu/Work.h"

#include "dialects/Kernel/BriefKernels.h"

namespace heddle {

void expectWork(KernelFrame &frame, double nanoseconds) {
  if (nanoseconds <= frame.machine.rates.briefNs)
    frame.function->setAttr(kernel::kBriefAttrName,
                            frame.builder.getUnitAttr());
}

double contractionNanoseconds(const Machine &machine, double flops,
                              mlir::Type accumulator, double outputs) {
  double perFlop = 1e3 / machine.flopsPerUs(accumulator);
  return perFlop * flops + machine.rates.outputNs * outputs;
}

} // namespace heddle
