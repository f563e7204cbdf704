// One emitter per family of kernels. Each fills a started frame and finishes
// it, or fails with a diagnostic at the op it cannot lower.

#ifndef HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H
#define HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Kernels of `linalg.generic` alone: elementwise, reductions, rows, gathers.
mlir::LogicalResult emitLoopKernel(KernelFrame &frame);

/// Pooling and other windows; fast where the last dimension has none.
mlir::LogicalResult emitReduceWindow(KernelFrame &frame,
                                     kernel::ReduceWindowOp op);
/// Whether the windows of `op` are all up to their point; those in one walk
/// (ScanEmitter.cpp).
bool isScan(kernel::ReduceWindowOp op);
mlir::LogicalResult emitScan(KernelFrame &frame, kernel::ReduceWindowOp op);

// Data movement, by runs of consecutive elements.
mlir::LogicalResult emitConcatenate(KernelFrame &frame,
                                    kernel::ConcatenateOp op);
mlir::LogicalResult emitPad(KernelFrame &frame, kernel::PadOp op);
mlir::LogicalResult emitDynamicUpdateSlice(KernelFrame &frame,
                                           kernel::DynamicUpdateSliceOp op);

/// One update after the other, in one tile: updates may meet.
mlir::LogicalResult emitScatter(KernelFrame &frame, kernel::ScatterOp op);

// Merge sort of each row.
mlir::LogicalResult emitSort(KernelFrame &frame, kernel::SortOp op);
mlir::LogicalResult emitTopK(KernelFrame &frame, kernel::TopKOp op);

/// A call of one of our freestanding functions.
mlir::LogicalResult emitRoutine(KernelFrame &frame, kernel::RoutineOp op);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_EMITTERS_H
