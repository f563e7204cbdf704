// The functions of a module that a program may call.

#ifndef HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H
#define HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace heddle::kernel {

/// The public functions that have a body and are no kernels, in their order.
llvm::SmallVector<mlir::func::FuncOp> entryFunctions(mlir::ModuleOp module);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H
