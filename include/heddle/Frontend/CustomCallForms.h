// Custom calls in the one form that later stages know.

#ifndef HEDDLE_FRONTEND_CUSTOMCALLFORMS_H
#define HEDDLE_FRONTEND_CUSTOMCALLFORMS_H

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace heddle {

/// Gives the calls of the functions that `options` names (NAME[=...]) the form
/// in which they are compiled. A name that nothing calls is fine.
mlir::LogicalResult markCustomCalls(mlir::ModuleOp module,
                                    llvm::ArrayRef<std::string> options);

/// Gives every custom call the form that releases of JAX write now: LAPACK's
/// routines with options as attributes, in place of operands and scratch
/// memory, and Fourier transforms as operations. Calls of functions that the
/// user declares stay. A call that cannot be read is an error.
mlir::LogicalResult modernizeCalls(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_FRONTEND_CUSTOMCALLFORMS_H
