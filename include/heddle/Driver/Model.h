// Models as modules, whatever file they come from.

#ifndef HEDDLE_DRIVER_MODEL_H
#define HEDDLE_DRIVER_MODEL_H

#include "heddle/Driver/FileKind.h"
#include "heddle/Driver/Program.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Reads a model; null after an error, which has been reported.
mlir::OwningOpRef<mlir::ModuleOp> importModel(Session &session,
                                              const ModelOptions &options);

/// The function that is compiled; null if there is none.
mlir::func::FuncOp entryFunction(mlir::ModuleOp module);

/// Arguments and results by name, with the ranges of integers that the model
/// indexes with.
llvm::SmallVector<TensorSignature> inputSignatures(mlir::func::FuncOp entry);
llvm::SmallVector<TensorSignature> outputSignatures(mlir::func::FuncOp entry);

} // namespace heddle

#endif // HEDDLE_DRIVER_MODEL_H
