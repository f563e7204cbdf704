// Attention that tensor cores do: which, and as what tiles.

#ifndef HEDDLE_PASSES_KERNEL_GPU_TILEATTENTION_H
#define HEDDLE_PASSES_KERNEL_GPU_TILEATTENTION_H

#include "heddle/Target/GpuMachine.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Whether `kernel` is an attention that `tileAttention` has a kernel for: of
/// f16 or bf16, by known sizes, with heads that shared memory holds and at most
/// one elementwise operation behind it.
bool isTiledAttention(mlir::func::FuncOp kernel);

/// Replaces `kernel` by a function of the same name with the roles and the
/// channel of the ws dialect, and returns it. Fails with a diagnostic.
mlir::FailureOr<mlir::func::FuncOp> tileAttention(mlir::func::FuncOp kernel,
                                                  const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_GPU_TILEATTENTION_H
