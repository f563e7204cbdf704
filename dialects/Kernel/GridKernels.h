// What kernels say of themselves where devices have grids of blocks of threads.

#ifndef HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
#define HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H

#include "llvm/ADT/StringRef.h"

namespace heddle::kernel {

/// On a kernel lowered for a device with grids: the threads of a block. Threads
/// go through the tiles `kernel.tiles` together, however many blocks there are.
inline constexpr llvm::StringLiteral kThreadsAttrName = "kernel.threads";

/// On a kernel lowered for a device with grids: how many blocks of it a
/// multiprocessor shall hold at once at least, whatever registers that leaves
/// to a thread. Without it the assembler chooses.
inline constexpr llvm::StringLiteral kResidentBlocksAttrName =
    "kernel.resident_blocks";

/// On a kernel lowered for a device with grids: bytes of shared memory that a
/// launch gives beyond what the image declares. Without it there are none.
inline constexpr llvm::StringLiteral kSharedBytesAttrName =
    "kernel.shared_bytes";

/// On a kernel lowered for a device with grids: the tensor maps that the host
/// makes for a launch, each the parameter of a pointer behind the others. A
/// list of dictionaries with `binding` (the buffer's number), `element` (a
/// type), `offset`, `extents`, `strides` and `box`, as ws.tensor_map has them.
inline constexpr llvm::StringLiteral kDescriptorsAttrName =
    "kernel.descriptors";

/// On a kernel lowered for a device with grids: how it is made and why, a list
/// of lines for people.
inline constexpr llvm::StringLiteral kDesignAttrName = "kernel.design";

/// On a kernel function: why launches of it stay on the cpu, wherever others
/// run.
inline constexpr llvm::StringLiteral kHostAttrName = "kernel.host";

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_GRIDKERNELS_H
