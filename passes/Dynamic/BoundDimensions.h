// Programs with sizes that are known when running, up to a bound.

#ifndef HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H
#define HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H

#include "passes/Dynamic/SampleSizes.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Makes `largest`, a program for the largest sizes, one for all sizes of
/// `sizes`: tensors keep their largest shapes, their true extents become
/// values, and what lies beyond is kept from what is computed. `others` are the
/// same program at the other points of `sizes`, which show what depends on
/// them.
///
/// @main gets an argument for each symbol (`heddle.extent`); its arguments and
/// results of bounded size say their true shape (`heddle.shape`). Reports what
/// cannot be computed exactly so.
mlir::LogicalResult boundDimensions(mlir::ModuleOp largest,
                                    llvm::ArrayRef<mlir::ModuleOp> others,
                                    const SampleSizes &sizes);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_BOUNDDIMENSIONS_H
