// Convolutions in which every channel is by itself.

#ifndef HEDDLE_PASSES_KERNEL_CPU_DEPTHWISEEMITTER_H
#define HEDDLE_PASSES_KERNEL_CPU_DEPTHWISEEMITTER_H

#include "passes/Kernel/Cpu/ConvolutionParts.h"

namespace heddle {

/// Emits a convolution with one input and one output channel per group, and
/// finishes `frame`.
mlir::LogicalResult emitDepthwise(KernelFrame &frame, kernel::ConvolutionOp op,
                                  const ConvolutionShape &shape,
                                  ConvolutionBuffers buffers);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_DEPTHWISEEMITTER_H
