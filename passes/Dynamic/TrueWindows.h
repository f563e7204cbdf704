// Which convolutions and windows have kernels over true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_TRUEWINDOWS_H
#define HEDDLE_PASSES_DYNAMIC_TRUEWINDOWS_H

#include "dialects/StableHlo/StableHlo.h"

namespace heddle {

/// Whether an attribute holds the same numbers at each call: those that it has
/// where all sizes are at their bounds.
bool isFixed(mlir::Operation *op, llvm::StringRef name,
             llvm::ArrayRef<int64_t> atBound);

/// Images are as many and as large as there are, with a border and windows of
/// known sizes.
bool windowsRunOverTrueExtents(stablehlo::ConvolutionOp op);

/// The same, but for points that the border cuts off.
bool windowsRunOverTrueExtentsUncut(stablehlo::ConvolutionOp op);

/// Windows move along what is open where what they find beyond the border does
/// not count, or each is everything up to its point.
bool windowsRunOverTrueExtents(stablehlo::ReduceWindowOp op);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_TRUEWINDOWS_H
