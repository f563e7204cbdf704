// What kernels say of themselves where devices have grids of blocks of threads.

#ifndef HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
#define HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// On a kernel lowered for a device with grids: the threads of a block. Threads
/// go through the tiles `kernel.tiles` together, however many blocks there are.
inline constexpr llvm::StringLiteral kThreadsAttrName = "kernel.threads";

/// On a kernel lowered for a device with grids: how many blocks of it a
/// multiprocessor shall hold at once at least, whatever registers that leaves to
/// a thread. Without it the assembler chooses.
inline constexpr llvm::StringLiteral kResidentBlocksAttrName =
    "kernel.resident_blocks";

/// On a kernel function: why launches of it stay on the cpu, wherever others
/// run.
inline constexpr llvm::StringLiteral kHostAttrName = "kernel.host";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
