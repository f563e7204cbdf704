// How far the dimensions of a root run in a launch.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LIMITS_H
#define HEDDLE_PASSES_KERNEL_CPU_LIMITS_H

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// A limit must be a number of the launch or a constant.
mlir::LogicalResult checkLimits(const KernelFrame &frame, mlir::Operation *op,
                                mlir::ValueRange limits);

/// The value of `limit`: at most `extent`, whatever the launch says, and not
/// negative. Null if `limit` is.
mlir::Value resolveLimit(KernelFrame &frame, IndexBuilder &index,
                         mlir::Value limit, int64_t extent);

/// Whether a position is before the limits of its dimensions, which are null
/// where there is none; null if it always is.
mlir::Value isBefore(IndexBuilder &index, llvm::ArrayRef<mlir::Value> position,
                     llvm::ArrayRef<mlir::Value> limits);

/// Both conditions, of which each may be null: always true.
mlir::Value both(IndexBuilder &index, mlir::Value left, mlir::Value right);

/// Emits `body`, in a branch if there is a condition.
void emitWhere(IndexBuilder &index, mlir::Value condition,
               llvm::function_ref<void()> body);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LIMITS_H
