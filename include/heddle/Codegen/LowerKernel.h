// Where code generation has kernels from, one by one.

#ifndef HEDDLE_CODEGEN_LOWERKERNEL_H
#define HEDDLE_CODEGEN_LOWERKERNEL_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

/// Kernel `number` as the target's stage of kernels leaves it, with
/// `kernel.tiles`: alone in a module with the globals it reads. Null after a
/// failure, with a diagnostic or because it was cancelled. Called from several
/// threads, for a kernel that fails more than once.
using LowerKernel =
    llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(size_t number)>;

} // namespace heddle

#endif // HEDDLE_CODEGEN_LOWERKERNEL_H
