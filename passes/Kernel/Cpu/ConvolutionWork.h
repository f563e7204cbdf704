// What convolutions of known and of open images are divided by.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONWORK_H
#define HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONWORK_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/Work.h"

namespace heddle {

/// The operations that give `outputs` elements of the result.
Work convolutionWork(kernel::ConvolutionOp op, const ConvolutionShape &shape,
                     double outputs);

/// The convolution as a contraction over the taps: `rows` points by the output
/// channels of a group, in each of `outer` pieces.
ContractionExtents convolutionExtents(kernel::ConvolutionOp op,
                                      const ConvolutionShape &shape,
                                      int64_t outer, int64_t rows);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONWORK_H
