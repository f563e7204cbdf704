// Launches go behind what computes the sizes that they are told.

#ifndef HEDDLE_PASSES_PLAN_ORDERCOUNTS_H
#define HEDDLE_PASSES_PLAN_ORDERCOUNTS_H

#include "dialects/Kernel/Kernel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// A size that an entry computes.
struct CountedSize {
  mlir::StringAttr symbol;
  mlir::Value value;
};

/// The symbols that types and attributes of a kernel name: what its launches
/// may be told.
llvm::SetVector<llvm::StringRef> symbolsOf(mlir::func::FuncOp kernel);

/// The sizes that `entry` computes, as its results say.
llvm::SmallVector<CountedSize> countedSizes(mlir::func::FuncOp entry);

/// Whether `launch` of `kernel` computes a size, or is told one that its entry
/// computes: not every device's queues read counts (`plan::readsCounts`).
bool hasCount(kernel::LaunchOp launch, mlir::func::FuncOp kernel);

/// Moves the launches of `entry` whose kernels name sizes that it computes
/// behind what computes these, and gives such sizes.
mlir::FailureOr<llvm::SmallVector<CountedSize>>
orderCounts(mlir::func::FuncOp entry, mlir::SymbolTable &symbols);

} // namespace heddle

#endif // HEDDLE_PASSES_PLAN_ORDERCOUNTS_H
