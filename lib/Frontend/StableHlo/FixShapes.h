// Programs with the sizes that options give.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_FIXSHAPES_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_FIXSHAPES_H

#include "heddle/Frontend/StableHlo.h"

namespace heddle {

/// Gives the arguments of the function `entry` the sizes that the options say,
/// and every value behind them its type. The module then says which sizes calls
/// choose, if there are any (heddle/Support/EntrySizes.h).
mlir::LogicalResult fixShapes(StableHloProgram &program, llvm::StringRef entry,
                              const SizeOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_FIXSHAPES_H
