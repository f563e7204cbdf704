// Lowered kernel functions to one text of PTX.

#ifndef HEDDLE_CODEGEN_COMPILETOPTX_H
#define HEDDLE_CODEGEN_COMPILETOPTX_H

#include "heddle/Codegen/LowerKernel.h"
#include "heddle/Target/GpuMachine.h"
#include <string>

namespace heddle {

/// Loads the dialects that `compileToPtx` produces and registers their
/// translation. Called once per context, before any pass manager runs on it.
void prepareGpuCodegen(mlir::MLIRContext *context);

/// Compiles `count` kernels for `machine`, in parallel on the context's
/// threads; each is lowered when its turn comes, and released. Each is an entry
/// of its own name that takes what kernel_abi.h says of kernels in grids. As
/// their texts become one, names of a kernel's globals have to begin with the
/// kernel's. Equal input gives equal text. Fails with diagnostics at the
/// kernels' locations.
mlir::FailureOr<std::string> compileToPtx(mlir::Location loc, size_t count,
                                          LowerKernel lower,
                                          const GpuMachine &machine);

} // namespace heddle

#endif // HEDDLE_CODEGEN_COMPILETOPTX_H
