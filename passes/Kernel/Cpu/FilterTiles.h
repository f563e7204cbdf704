// The part of a convolution's filter that a register tile reads.

#ifndef HEDDLE_PASSES_KERNEL_CPU_FILTERTILES_H
#define HEDDLE_PASSES_KERNEL_CPU_FILTERTILES_H

#include "passes/Kernel/Cpu/ConvolutionShape.h"
#include "passes/Kernel/Cpu/KernelFrame.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

namespace heddle {

/// The output channels of one register tile: `columns` of the `width` ones of
/// tile `number`, in vectors of `lanes`.
struct FilterColumns {
  mlir::Value number;
  int64_t width, columns, vectors, lanes;
};

/// Emits `body` for the tiles of one group from number `begin` to `end`; where
/// these are always all tiles of the group (`isAll`), the last, narrower one
/// needs no question whether it is among them.
void forEachFilterTile(IndexBuilder &index, const ConvolutionShape &shape,
                       int64_t vectors, int64_t lanes, mlir::Value begin,
                       mlir::Value end, bool isAll,
                       llvm::function_ref<void(const FilterColumns &)> body);

/// What a tile reads of `weights` at tap 0: taps follow each other, each of
/// `shape.tapSteps()` steps.
TileRhs filterOf(KernelFrame &frame, IndexBuilder &index,
                 const ConvolutionShape &shape, mlir::Value weights,
                 mlir::Value channelGroup, const FilterColumns &columns);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_FILTERTILES_H
