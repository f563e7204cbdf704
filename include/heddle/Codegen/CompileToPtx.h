// Lowered kernel functions to one text of PTX.

#ifndef HEDDLE_CODEGEN_COMPILETOPTX_H
#define HEDDLE_CODEGEN_COMPILETOPTX_H

#include "heddle/Target/GpuMachine.h"
#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace heddle {

/// Loads the dialects that `compileToPtx` produces and registers their
/// translation. Called once per context, before any pass manager runs on it.
void prepareGpuCodegen(mlir::MLIRContext *context);

/// Compiles the kernels of `module`, as `heddle-kernel-gpu` leaves them, with
/// the globals that they read, for `machine`. Each is an entry of its own name
/// that takes what kernel_abi.h says of kernels in grids. Uses up the module.
/// Equal input gives equal text. Fails with diagnostics.
mlir::FailureOr<std::string> compileToPtx(mlir::ModuleOp module,
                                          const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_CODEGEN_COMPILETOPTX_H
