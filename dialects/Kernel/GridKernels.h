// What lowered kernels say of themselves that run in grids of blocks of
// threads.

#ifndef HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
#define HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// On a kernel lowered for a device with grids: the threads of a block. Threads
/// go through the tiles `kernel.tiles` together, however many blocks there are.
inline constexpr llvm::StringLiteral kThreadsAttrName = "kernel.threads";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
