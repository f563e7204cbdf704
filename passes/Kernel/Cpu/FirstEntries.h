// The first few entries of a row in sorted order, without sorting the rest.

#ifndef HEDDLE_PASSES_KERNEL_CPU_FIRSTENTRIES_H
#define HEDDLE_PASSES_KERNEL_CPU_FIRSTENTRIES_H

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Whether the entry at `left` of the row `left` goes before the one of
/// `right`: one scalar per column of either.
using EntryOrder = llvm::function_ref<mlir::FailureOr<mlir::Value>(
    llvm::ArrayRef<mlir::Value> left, llvm::ArrayRef<mlir::Value> right)>;

/// Keeps the first `count` of the entries that it is given, in order; of equals
/// those given first.
class FirstEntries {
public:
  FirstEntries(KernelFrame &frame, mlir::Location loc,
               llvm::ArrayRef<mlir::Type> columns, int64_t count);

  /// Whether so few of `extent` entries are cheaper to keep than to sort all:
  /// in the worst case every entry moves all that are kept.
  static bool pays(int64_t count, int64_t extent);

  /// Emits the walk over `extent` entries, at least as many as are kept.
  llvm::LogicalResult
  walk(mlir::Value extent,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value)> entryAt,
       EntryOrder before);

  /// The entry at a place of the result.
  llvm::SmallVector<mlir::Value> get(mlir::Value place);

private:
  void put(mlir::Value place, mlir::ValueRange entry);
  mlir::ValueRange insert(mlir::Value end, llvm::ArrayRef<mlir::Value> entry,
                          EntryOrder before);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  IndexBuilder index;
  llvm::SmallVector<mlir::Type> columns;
  llvm::SmallVector<mlir::Value> buffers;
  llvm::SmallVector<mlir::Value> left;
  int64_t count;
  llvm::LogicalResult status = llvm::success();
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_FIRSTENTRIES_H
