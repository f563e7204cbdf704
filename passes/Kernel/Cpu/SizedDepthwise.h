// Convolutions of images whose size a call says, in which every channel is by
// itself.

#ifndef HEDDLE_PASSES_KERNEL_CPU_SIZEDDEPTHWISE_H
#define HEDDLE_PASSES_KERNEL_CPU_SIZEDDEPTHWISE_H

#include "passes/Kernel/Cpu/ConvolutionParts.h"

namespace heddle {

/// Emits a convolution with one input and one output channel per group over the
/// true extents of its images, which have no zeros between their points, and
/// finishes `frame`.
mlir::LogicalResult emitSizedDepthwise(KernelFrame &frame,
                                       kernel::ConvolutionOp op,
                                       const ConvolutionShape &shape,
                                       ConvolutionBuffers buffers);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_SIZEDDEPTHWISE_H
