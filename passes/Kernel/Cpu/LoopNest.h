// A linalg.generic as loops over flat buffers.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "passes/Kernel/Cpu/LoopAccess.h"

namespace heddle {

/// A `linalg.generic` reduced to what code generation needs: loops with
/// extents, and for each operand the position in its flat buffer. Loops can be
/// merged and reordered here without rewriting the op; the payload is read from
/// the op.
struct LoopNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<Extent> extents;
  llvm::SmallVector<mlir::utils::IteratorType> iterators;
  /// One per operand, inputs first.
  llvm::SmallVector<LoopAccess> accesses;
  /// Where `linalg.index N` of the payload finds its loop; `droppedLoop` for
  /// one that no payload asks for.
  llvm::SmallVector<unsigned> loopOf;
  static constexpr unsigned droppedLoop = ~0u;

  /// Fails where `loopExtents` does.
  static mlir::FailureOr<LoopNest> of(mlir::linalg::GenericOp op);

  unsigned numLoops() const { return extents.size(); }
  bool isParallel(unsigned loop) const {
    return iterators[loop] == mlir::utils::IteratorType::parallel;
  }
  bool isParallel() const;

  /// By how much the operand's position grows when `loop` does, if that is one
  /// number everywhere and for all sizes.
  std::optional<int64_t> stride(unsigned operand, unsigned loop) const {
    return accesses[operand].stride(loop);
  }

  /// Reorders: new loop N is the old loop `order[N]`.
  void permute(llvm::ArrayRef<unsigned> order);
  /// Whether loops `outer` and `outer + 1` are walked as one by all operands.
  bool canMerge(unsigned outer) const;
  /// Makes loops `outer` and `outer + 1` one.
  void merge(unsigned outer);
  /// Whether `loop` does nothing: one iteration, not asked for by the payload.
  bool isUnit(unsigned loop) const {
    return extents[loop].is(1) && !usesIndex(loop);
  }
  void drop(unsigned loop);

private:
  LoopNest(mlir::linalg::GenericOp op, llvm::SmallVector<Extent> extents);
  bool usesIndex(unsigned loop) const;
  void substitute(llvm::ArrayRef<mlir::AffineExpr> dims, unsigned newLoops);
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPNEST_H
