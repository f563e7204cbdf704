// What is told to people of a kernel of roles: how it is made, and why so.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H
#define HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H

#include "dialects/Ws/Ws.h"
#include "heddle/Target/GpuMachine.h"

#include <string>

namespace heddle {

/// The lines about the roles of a kernel for `machine` whose tiles make
/// `blocks` blocks of `threads` threads each.
llvm::SmallVector<std::string> describeDesign(ws::RolesOp roles,
                                              ws::ChannelType channel,
                                              int64_t blocks, int64_t threads,
                                              const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H
