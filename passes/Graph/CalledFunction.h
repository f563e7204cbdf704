// What a call or a composite stands for, and how that is put in its place.

#ifndef HEDDLE_PASSES_GRAPH_CALLEDFUNCTION_H
#define HEDDLE_PASSES_GRAPH_CALLEDFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle {

/// The function, of one block, that `op` stands for: what a call names, or the
/// decomposition of a composite that the neutral form has no operation for.
/// Null for all other operations.
mlir::func::FuncOp calledFunction(mlir::Operation *op,
                                  const mlir::SymbolTable &symbols);

/// Builds copies of the operations of `callee`, a function of one block, for
/// the operands of `op`; gives its results. The copies have the location that
/// `locate` gives for what each is a copy of, also those within regions.
llvm::SmallVector<mlir::Value>
copyBody(mlir::OpBuilder &builder, mlir::Operation *op,
         mlir::func::FuncOp callee,
         llvm::function_ref<mlir::Location(mlir::Operation *)> locate);

/// Puts such copies in the place of `op`.
void inlineBody(mlir::Operation *op, mlir::func::FuncOp callee,
                llvm::function_ref<mlir::Location(mlir::Operation *)> locate);

} // namespace heddle

#endif // HEDDLE_PASSES_GRAPH_CALLEDFUNCTION_H
