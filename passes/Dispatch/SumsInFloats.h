// Sums of integers that are computed in f32 without an error.

#ifndef HEDDLE_PASSES_DISPATCH_SUMSINFLOATS_H
#define HEDDLE_PASSES_DISPATCH_SUMSINFLOATS_H

#include "passes/Dispatch/StoredOperands.h"

namespace heddle {

/// The i32 result of `root`, a contraction or convolution that sums up `count`
/// products of differences of bytes in i32, by the same root in f32, for which
/// targets have their fastest kernels. Null if f32 does not hold all sums, or
/// an operand is no such difference.
mlir::Value sumInFloats(mlir::OpBuilder &b, mlir::Operation *root,
                        StoredOperands &operands, WeightPrograms &weights,
                        int64_t count);

} // namespace heddle

#endif // HEDDLE_PASSES_DISPATCH_SUMSINFLOATS_H
