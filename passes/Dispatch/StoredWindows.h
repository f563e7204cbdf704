// What convolutions of stored integers want that contractions do not: a border
// that stands for zero, and sums of windows.

#ifndef HEDDLE_PASSES_DISPATCH_STOREDWINDOWS_H
#define HEDDLE_PASSES_DISPATCH_STOREDWINDOWS_H

#include "passes/Dispatch/StoredOperands.h"

namespace heddle {

/// Puts the padding of `convolution` around its input `stored`, as the zero
/// point, and leaves it none. Sizes must be known, and nothing be between points
/// of the input.
void padStored(mlir::OpBuilder &b, kernel::ConvolutionOp convolution,
               Stored &stored);

/// The sum of the input `stored` over each window of a convolution without
/// groups, in i32: [N, points...]. `onesType` is the type of factors of one
/// that the target multiplies such bytes by.
mlir::Value sumWindows(mlir::OpBuilder &b, mlir::Location loc,
                       WeightPrograms &weights,
                       kernel::ConvolutionOp convolution, const Stored &stored,
                       mlir::IntegerType onesType);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_STOREDWINDOWS_H
