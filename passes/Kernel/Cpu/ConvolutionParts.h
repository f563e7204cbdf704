// What the emitters of convolutions have in common.

#ifndef HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONPARTS_H
#define HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONPARTS_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/TileOutput.h"

namespace heddle {

/// What a convolution reads and writes.
struct ConvolutionBuffers {
  mlir::Value input, weights;
  TileOutput output;
};

/// What each emitter of a convolution holds. The shape outlives it.
struct ConvolutionParts {
  ConvolutionParts(KernelFrame &frame, kernel::ConvolutionOp op,
                   const ConvolutionShape &shape, ConvolutionBuffers buffers)
      : frame(frame), op(op), loc(op.getLoc()), shape(shape),
        index(frame.builder, loc),
        accumulator(
            mlir::cast<mlir::RankedTensorType>(op.getType()).getElementType()),
        lanes(accumulatorLanes(accumulator)), input(buffers.input),
        weights(buffers.weights), output(std::move(buffers.output)) {}

  KernelFrame &frame;
  kernel::ConvolutionOp op;
  mlir::Location loc;
  const ConvolutionShape &shape;
  IndexBuilder index;
  mlir::Type accumulator;
  int64_t lanes;
  mlir::Value input, weights;
  TileOutput output;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_CONVOLUTIONPARTS_H
