// Counts what convolutions take, for the choice of tiles and pieces.

#include "passes/Kernel/Cpu/ConvolutionWork.h"

#include "dialects/Kernel/Factors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

static Type accumulatorOf(kernel::ConvolutionOp op) {
  return cast<RankedTensorType>(op.getType()).getElementType();
}

static Type factorOf(kernel::ConvolutionOp op) {
  return kernel::narrowerFactor(op.getInput().getType().getElementType(),
                                op.getWeights().getType().getElementType());
}

Work convolutionWork(kernel::ConvolutionOp op, const ConvolutionShape &shape,
                     double outputs) {
  Work work;
  work.operations = 2 * outputs * shape.taps() * shape.tapSteps();
  work.accumulator = accumulatorOf(op);
  work.factor = factorOf(op);
  return work;
}

ContractionExtents convolutionExtents(kernel::ConvolutionOp op,
                                      const ConvolutionShape &shape,
                                      int64_t outer, int64_t rows) {
  Type weight = op.getWeights().getType().getElementType();
  ContractionExtents extents;
  extents.outer = outer;
  extents.rows = rows;
  extents.columns = shape.groupOutput;
  extents.depth = shape.taps() * shape.tapSteps();
  extents.accumulator = accumulatorOf(op);
  extents.factor = factorOf(op);
  extents.rhsBytes =
      llvm::divideCeil(weight.getIntOrFloatBitWidth(), 8) * shape.perStep;
  // Neighbouring windows overlap.
  extents.lhsBytes = 1;
  return extents;
}

} // namespace heddle
