// Custom calls in the interpreter by what the compiler expands them to.

#ifndef HEDDLE_LIB_DRIVER_EXPANDEDCALLS_H
#define HEDDLE_LIB_DRIVER_EXPANDEDCALLS_H

#include "heddle/Reference/Interpreter.h"

namespace heddle {

/// Evaluates a custom call that `heddle-expand-custom-calls` has a rule for;
/// false if it is none, or has operands that are no tensors. After an error,
/// which has been reported, `results` do not fit.
bool interpretExpandedCall(mlir::Operation *op,
                           llvm::ArrayRef<InterpreterValue> operands,
                           llvm::SmallVectorImpl<InterpreterValue> &results);

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_EXPANDEDCALLS_H
