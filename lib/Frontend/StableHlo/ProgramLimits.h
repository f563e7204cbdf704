// Bounds on what a parsed program may be like.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_PROGRAMLIMITS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_PROGRAMLIMITS_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Refuses programs that are small as files and without bounds in memory:
/// nested more deeply than recursion stands, types that name each other twice,
/// tensors of more dimensions than an artifact holds, more operations than
/// passes take in useful time; and constants whose bytes the file does not
/// have. What passes may be printed and walked by recursion. One error.
mlir::LogicalResult checkProgramLimits(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_PROGRAMLIMITS_H
