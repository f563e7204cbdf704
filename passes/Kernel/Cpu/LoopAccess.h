// Where a loop nest reads and writes in flat buffers.

#ifndef HEDDLE_PASSES_KERNEL_CPU_LOOPACCESS_H
#define HEDDLE_PASSES_KERNEL_CPU_LOOPACCESS_H

#include "mlir/IR/AffineMap.h"
#include "passes/Kernel/Cpu/Extent.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/Lanes.h"

namespace heddle {

/// The position of an element as a function of the loops (dimension N is loop
/// N): `fixed`, and each of `sized` times a stride that depends on sizes.
struct LoopAccess {
  mlir::AffineExpr fixed;
  llvm::SmallVector<std::pair<mlir::AffineExpr, size::Expression>> sized;

  bool operator==(const LoopAccess &other) const {
    return fixed == other.fixed && sized == other.sized;
  }
  bool operator!=(const LoopAccess &other) const { return !(*this == other); }

  bool isFunctionOf(unsigned loop) const;
  /// By how much the position grows when `loop` does, if that is the same
  /// everywhere; null if no expression holds it.
  std::optional<size::Expression> growth(unsigned loop) const;
  /// The same where it is one number for all sizes.
  std::optional<int64_t> stride(unsigned loop) const;
  /// With an expression in place of each loop, which are `numLoops` then.
  LoopAccess replaced(llvm::ArrayRef<mlir::AffineExpr> loops,
                      unsigned numLoops) const;

  /// Emits the position where loop N is at `loops[N]`.
  LaneValue emit(LaneBuilder &lanes, KernelFrame &frame,
                 llvm::ArrayRef<LaneValue> loops) const;
};

/// `value` times `extent`.
LaneValue scaled(LaneBuilder &lanes, KernelFrame &frame, LaneValue value,
                 const Extent &extent);

/// The row-major position in a tensor of `extents` of the element that `map`
/// picks.
LoopAccess flattenAccess(mlir::AffineMap map, llvm::ArrayRef<Extent> extents);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_LOOPACCESS_H
