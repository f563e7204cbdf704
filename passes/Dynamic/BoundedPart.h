// The operations of a program that have no kernel over true extents.

#ifndef HEDDLE_PASSES_DYNAMIC_BOUNDEDPART_H
#define HEDDLE_PASSES_DYNAMIC_BOUNDEDPART_H

#include "dialects/StableHlo/StableHlo.h"
#include "passes/Dynamic/BoundedSizes.h"
#include "passes/Dynamic/SizeTable.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {

/// What of an entry is computed over the bound, while everything else runs over
/// true extents. Between both a tensor changes how it lies: where an operation
/// of the part reads it, it is written to the corner of a tensor of the bound
/// (spread); of what the operation gives, others read the part that truly is
/// (packed). Kernels of true extents do both.
class BoundedPart {
public:
  BoundedPart(mlir::func::FuncOp entry, SizeTable &table,
              const BoundedSizes &sizes)
      : entry(entry), table(table), sizes(sizes) {}

  /// Finds the operations, and parts them from the others: their operands and
  /// results have the shapes of the bound, and their true extents in the table.
  void part();
  /// In the order of the program.
  llvm::ArrayRef<mlir::Operation *> operations() const {
    return found.getArrayRef();
  }

private:
  void openComposites();
  void find();
  void takeBetween();
  /// What `op`, which is cheap, is connected with by values of open sizes.
  void takeWithNeighbours(mlir::Operation *op,
                          llvm::DenseSet<mlir::Operation *> &seen);
  void remark() const;
  void enter(mlir::Operation *op);
  mlir::Value spread(mlir::Operation *reader, mlir::Value value);
  mlir::Operation *madeAgain(mlir::Operation *source, mlir::Operation *reader);
  void pack(mlir::Operation *op);
  mlir::func::FuncOp boundedDecomposition(stablehlo::CompositeOp op);

  mlir::func::FuncOp entry;
  SizeTable &table;
  const BoundedSizes &sizes;
  llvm::SetVector<mlir::Operation *> found;
  /// Of a value of true extents, the same over the bound.
  llvm::DenseMap<mlir::Value, mlir::Value> spreads;
  /// Decompositions of composites of the part.
  llvm::DenseMap<mlir::Operation *, mlir::func::FuncOp> decompositions;
};

} // namespace heddle

#endif // HEDDLE_PASSES_DYNAMIC_BOUNDEDPART_H
