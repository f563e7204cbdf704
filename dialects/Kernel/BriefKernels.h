// Kernels that take so little time that what their code takes to compile
// matters more than the last tenth of its speed.

#ifndef HEDDLE_DIALECTS_KERNEL_BRIEFKERNELS_H
#define HEDDLE_DIALECTS_KERNEL_BRIEFKERNELS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace heddle::kernel {

/// On a lowered kernel: all its tiles together take microseconds.
inline constexpr llvm::StringLiteral kBriefAttrName = "kernel.brief";

inline bool isBrief(mlir::FunctionOpInterface kernel) {
  return kernel->hasAttr(kBriefAttrName);
}

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_BRIEFKERNELS_H
