// exp for f64 with digits to spare, for functions that go on from there.

#ifndef HEDDLE_PASSES_KERNEL_MATH_EXPONENTIAL64_H
#define HEDDLE_PASSES_KERNEL_MATH_EXPONENTIAL64_H

#include "passes/Math/Pair.h"

namespace heddle::float64 {

/// value * 2^exponent.
struct ScaledPair {
  Pair value;
  mlir::Value exponent;
};

/// exp(x), for -746 <= x <= 711; the value is near 1.
ScaledPair expPair(FloatBuilder &b, Pair x);
/// Rounded once, unless the result is subnormal.
mlir::Value evaluate(FloatBuilder &b, ScaledPair x);

} // namespace heddle::float64

#endif // HEDDLE_PASSES_KERNEL_MATH_EXPONENTIAL64_H
