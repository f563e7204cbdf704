// A linalg.generic as loops over flat buffers.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineMap.h"
#include <optional>

namespace heddle {

/// The row-major position in `shape` of the element that `map` picks: a map
/// with one result from the loops.
mlir::AffineMap flattenAccess(mlir::AffineMap map,
                              llvm::ArrayRef<int64_t> shape);

/// A `linalg.generic` reduced to what code generation needs: loops with
/// extents, and for each operand one affine map from the loops to the position
/// in its flat buffer. Loops can be merged and reordered here without
/// rewriting the op; the payload is read from the op.
struct LoopNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// One per operand, inputs first: loops -> position.
  llvm::SmallVector<mlir::AffineMap> accesses;
  /// Where `linalg.index N` of the payload finds its loop.
  llvm::SmallVector<unsigned> loopOf;

  explicit LoopNest(mlir::linalg::GenericOp op);

  unsigned numLoops() const { return extents.size(); }
  bool isParallel(unsigned loop) const {
    return iterators[loop] == mlir::utils::IteratorType::parallel;
  }
  bool isParallel() const;

  /// By how much the operand's position grows when `loop` does, if that is the
  /// same everywhere.
  std::optional<int64_t> stride(unsigned operand, unsigned loop) const;

  /// Merges neighbouring loops that all operands walk as one, and drops loops
  /// of one iteration. Loops below `keepLeading` stay as they are.
  void collapse(unsigned keepLeading = 0);

private:
  bool usesIndex(unsigned loop) const;
  void substitute(llvm::ArrayRef<mlir::AffineExpr> dims, unsigned newLoops);
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H
