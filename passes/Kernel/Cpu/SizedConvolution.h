// Convolutions of images whose size a call says.

#ifndef HEDDLE_PASSES_KERNEL_CPU_SIZEDCONVOLUTION_H
#define HEDDLE_PASSES_KERNEL_CPU_SIZEDCONVOLUTION_H

#include "passes/Kernel/Cpu/ConvolutionParts.h"

namespace heddle {

/// Emits a convolution over the true extents of its images, and finishes
/// `frame`.
mlir::LogicalResult emitSizedConvolution(KernelFrame &frame,
                                         kernel::ConvolutionOp op,
                                         const ConvolutionShape &shape,
                                         ConvolutionBuffers buffers);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_SIZEDCONVOLUTION_H
