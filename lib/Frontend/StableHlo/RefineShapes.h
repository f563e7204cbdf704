// Programs of open sizes, called with arguments of sizes that calls choose.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_REFINESHAPES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_REFINESHAPES_H

#include "lib/Frontend/StableHlo/ImportedSizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// As that of include/heddle/Frontend/RefineShapes.h, with argument types that
/// may have extents: every value gets its extents by the rules, numbers that
/// are computed from sizes become `size.tensor`, dynamic forms static ones with
/// sizes beside their attributes. `sizes` knows what was taken for granted
/// then. Fails without an error if two symbols are one, which `sizes.tie()`
/// says.
mlir::LogicalResult refineShapes(mlir::func::FuncOp entry,
                                 mlir::TypeRange argumentTypes,
                                 ImportedSizes &sizes);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_REFINESHAPES_H
