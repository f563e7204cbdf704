// What the types of two factors say of their product.

#ifndef HEDDLE_DIALECTS_KERNEL_FACTORS_H
#define HEDDLE_DIALECTS_KERNEL_FACTORS_H

#include "mlir/IR/Types.h"

namespace heddle::kernel {

/// The narrower of the types of two factors: kernels widen it each time they
/// read it. None where one is no number.
inline mlir::Type narrowerFactor(mlir::Type lhs, mlir::Type rhs) {
  if (!lhs.isIntOrFloat() || !rhs.isIntOrFloat())
    return {};
  return lhs.getIntOrFloatBitWidth() < rhs.getIntOrFloatBitWidth() ? lhs : rhs;
}

/// Terms of a sum that kernels of bytes multiply at once, next to each other.
inline constexpr int64_t kQuad = 4;

/// Whether kernels multiply these types so: ui8 by i8.
inline bool areQuadFactors(mlir::Type lhs, mlir::Type rhs) {
  return lhs.isUnsignedInteger(8) && rhs.isSignlessInteger(8);
}

/// The same of kernels of bf16.
inline constexpr int64_t kPair = 2;

/// Whether kernels multiply these types so, and sum up in f32.
inline bool arePairFactors(mlir::Type lhs, mlir::Type rhs) {
  return lhs.isBF16() && rhs.isBF16();
}

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_FACTORS_H
