// Which of two factors decides how long a product takes.

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

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_FACTORS_H
