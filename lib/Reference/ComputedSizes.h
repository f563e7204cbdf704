// Programs that compute the sizes of tensors.

#ifndef HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H
#define HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H

#include "heddle/Reference/Interpreter.h"

namespace heddle {

/// Whether types of the function name sizes that it computes.
bool computesSizes(mlir::func::FuncOp function);

/// As `interpret`, of such a function.
llvm::FailureOr<llvm::SmallVector<HostTensor>>
interpretComputingSizes(mlir::func::FuncOp function,
                        llvm::ArrayRef<HostTensor> arguments,
                        const InterpreterOptions &options);

/// Fails, after an error, if a size that the function computes is not in its
/// range.
llvm::LogicalResult checkCounts(mlir::func::FuncOp function,
                                llvm::ArrayRef<HostTensor> results);

} // namespace heddle

#endif // HEDDLE_LIB_REFERENCE_COMPUTEDSIZES_H
