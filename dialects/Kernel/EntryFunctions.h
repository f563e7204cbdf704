// The functions of a module that a program may call, and the sizes that they
// are told.

#ifndef HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H
#define HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H

#include "dialects/Size/Expression.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::kernel {

/// The public functions that have a body and are no kernels, in their order.
llvm::SmallVector<mlir::func::FuncOp> entryFunctions(mlir::ModuleOp module);

/// `size` as a `kernel.size` of the arguments of `entry` that hold its symbols,
/// for each of which `valueOf` has what stands for it now. Null if the entry is
/// not told one of them.
mlir::Value
createSize(mlir::OpBuilder &builder, mlir::Location loc,
           mlir::func::FuncOp entry, size::Expression size,
           llvm::function_ref<mlir::Value(mlir::BlockArgument)> valueOf);

} // namespace heddle::kernel

#endif // HEDDLE_DIALECTS_KERNEL_ENTRYFUNCTIONS_H
