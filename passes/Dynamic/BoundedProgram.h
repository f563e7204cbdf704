// One program for all sizes, from the same model read for some of them.

#ifndef HEDDLE_PASSES_DYNAMIC_BOUNDEDPROGRAM_H
#define HEDDLE_PASSES_DYNAMIC_BOUNDEDPROGRAM_H

#include "passes/Dynamic/SampleSizes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace heddle {

/// Reads a model for sizes of its symbols; null after an error, which has been
/// reported.
using ImportAt = llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>(
    llvm::ArrayRef<int64_t>)>;

/// Reads the model without reporting errors: null, and the first complaint,
/// where it does not take these sizes.
mlir::OwningOpRef<mlir::ModuleOp> tryImport(mlir::MLIRContext *context,
                                            llvm::ArrayRef<int64_t> sizes,
                                            ImportAt importAt,
                                            std::string &complaint);

/// Reads the model for the largest sizes and some others, and makes one program
/// for all sizes of what follows from them. `oneIsSpecial`: sizes of 1 change
/// what the program means, as where they are broadcast. Null after an error,
/// which has been reported.
mlir::OwningOpRef<mlir::ModuleOp>
makeBoundedProgram(mlir::MLIRContext *context,
                   llvm::ArrayRef<BoundedSymbol> symbols, bool oneIsSpecial,
                   ImportAt importAt);

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_BOUNDEDPROGRAM_H
