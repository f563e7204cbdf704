// What concatenations make, whose parts may have sizes that calls choose.

#ifndef HEDDLE_DIALECTS_KERNEL_CONCATENATION_H
#define HEDDLE_DIALECTS_KERNEL_CONCATENATION_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/ValueRange.h"

namespace heddle::kernel {

/// The type of `parts`, one at least, behind each other along `dimension`, as
/// the first one has the others.
mlir::RankedTensorType concatenatedType(mlir::ValueRange parts,
                                        int64_t dimension);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_CONCATENATION_H
