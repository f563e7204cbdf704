// What is told to people of a kernel of roles: how it is made, and why so.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H
#define HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H

#include "dialects/Ws/Ws.h"
#include "heddle/Target/GpuMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Tells on `function`, a kernel of `roles` for `machine`, how it is made:
/// its tiles make `blocks` blocks of `threads` threads each, of whose shared
/// memory `budget` bytes are for the channels.
void describeDesign(mlir::func::FuncOp function, ws::RolesOp roles,
                    int64_t blocks, int64_t threads, int64_t budget,
                    const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_TILEDESIGN_H
