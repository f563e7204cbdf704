// Arguments that become weights.

#ifndef HEDDLE_LIB_FRONTEND_STABLEHLO_BINDINGS_H
#define HEDDLE_LIB_FRONTEND_STABLEHLO_BINDINGS_H

#include "heddle/Frontend/StableHlo.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Replaces the arguments that `bindings` name by constants over the files.
/// Arguments must have their names already.
mlir::LogicalResult bindArguments(mlir::func::FuncOp function,
                                  llvm::ArrayRef<ArgumentBinding> bindings);

} // namespace heddle

#endif // HEDDLE_LIB_FRONTEND_STABLEHLO_BINDINGS_H
