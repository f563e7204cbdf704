// What the CPU lowering does with each kind of root.

#ifndef HEDDLE_PASSES_KERNEL_CPU_ROOTEMITTERS_H
#define HEDDLE_PASSES_KERNEL_CPU_ROOTEMITTERS_H

#include "dialects/Kernel/Kernel.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Each emits the root of `frame`'s source together with its epilogue, and
/// finishes the frame. On failure a diagnostic was given, and what was built is
/// to be abandoned.
mlir::LogicalResult emitContraction(KernelFrame &frame, kernel::ContractOp op);
mlir::LogicalResult emitConvolution(KernelFrame &frame,
                                    kernel::ConvolutionOp op);
mlir::LogicalResult emitAttention(KernelFrame &frame, kernel::AttentionOp op);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ROOTEMITTERS_H
