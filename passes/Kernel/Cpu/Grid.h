// Cutting a kernel's work into tiles, and loops, copies and fills.

#ifndef HEDDLE_PASSES_KERNEL_CPU_GRID_H
#define HEDDLE_PASSES_KERNEL_CPU_GRID_H

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/KernelFrame.h"

namespace heddle {

/// Opens the loops over `units` pieces of work of about `unitNanoseconds` each,
/// several to a tile where they are small, and leaves the frame's builder
/// inside. Returns the unit's number, and in `tiles` what `finish` wants.
mlir::Value enterUnits(KernelFrame &frame, const Extent &units,
                       double unitNanoseconds, Extent &tiles);

/// The indices of a row-major array of `extents` at position `linear`.
llvm::SmallVector<mlir::Value> indicesAt(KernelFrame &frame,
                                         IndexBuilder &index,
                                         mlir::Value linear,
                                         llvm::ArrayRef<Extent> extents);

/// Emits `body` for begin, begin + step, ... below end, with values carried
/// around: nothing if there is no iteration, no loop if there is one.
using LoopBody =
    llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(
        mlir::Value iv, llvm::ArrayRef<mlir::Value> carried)>;
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitLoop(mlir::OpBuilder &builder, mlir::Location loc, int64_t begin,
         int64_t end, int64_t step, llvm::ArrayRef<mlir::Value> carried,
         LoopBody body);
/// The same between values.
mlir::FailureOr<llvm::SmallVector<mlir::Value>>
emitLoop(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value begin,
         mlir::Value end, int64_t step, llvm::ArrayRef<mlir::Value> carried,
         LoopBody body);

/// Copies `count` consecutive elements.
void emitCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value from,
              mlir::Value fromIndex, mlir::Value to, mlir::Value toIndex,
              const Number &count);
/// Stores `value`, an element as it lies in memory, `count` times.
void emitFill(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
              mlir::Value to, mlir::Value toIndex, int64_t count);
/// `value` as it lies in memory: i1 as a byte.
mlir::Value toStorage(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value);

/// Estimated nanoseconds for copying `count` elements of `type`.
double copyCost(const Machine &machine, mlir::Type type, int64_t count);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_GRID_H
