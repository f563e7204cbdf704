// The blocks of a program with loops and branches.

#ifndef HEDDLE_PASSES_LOWER_CONTROLFLOW_H
#define HEDDLE_PASSES_LOWER_CONTROLFLOW_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Whether `op` is a loop or a branch, whose regions hold ops of the program,
/// or a composite, whose region does until the target is known.
bool isControlFlow(mlir::Operation *op);

/// Calls `visit` with the function's own block and those of the loops and
/// branches in it, outer ones first. It may erase ops of its block: what was in
/// them is not visited.
void forEachProgramBlock(mlir::func::FuncOp function,
                         llvm::function_ref<void(mlir::Block &)> visit);

/// The function's own block and those of the loops and branches in it, outer
/// ones first. Payloads are not among them.
llvm::SmallVector<mlir::Block *> programBlocks(mlir::func::FuncOp function);

/// Copies what only repeats a constant into the blocks that read it: there it
/// becomes part of a kernel, instead of a tensor that is kept for the loop.
void sinkConstants(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_PASSES_LOWER_CONTROLFLOW_H
