// Programs that compute the sizes of tensors.

#ifndef HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H
#define HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H

#include "heddle/Reference/Interpreter.h"

namespace heddle {

/// Whether `set_dimension_size` sets a size that types name as a symbol.
bool computesSizes(mlir::func::FuncOp function);

/// As `interpret`, of such a function.
llvm::FailureOr<llvm::SmallVector<HostTensor>>
interpretComputingSizes(mlir::func::FuncOp function,
                        llvm::ArrayRef<HostTensor> arguments,
                        const InterpreterOptions &options);

} // namespace heddle

#endif // HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H
