// Convolutions by instructions that multiply matrices.

#ifndef HEDDLE_PASSES_KERNEL_CPU_PLANECONVOLUTION_H
#define HEDDLE_PASSES_KERNEL_CPU_PLANECONVOLUTION_H

#include "passes/Kernel/Cpu/ConvolutionParts.h"

namespace heddle {

/// Whether `machine` multiplies the points of `op` by its filter as matrices.
bool isPlaneConvolution(const Machine &machine, kernel::ConvolutionOp op);

mlir::LogicalResult emitPlaneConvolution(KernelFrame &frame,
                                         kernel::ConvolutionOp op,
                                         const ConvolutionShape &shape,
                                         ConvolutionBuffers buffers);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_PLANECONVOLUTION_H
