// Code for rows that were split into tiles of two sizes.

#ifndef HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
#define HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H

#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/TileChoice.h"

namespace heddle {

/// The first row of tile `number`, which may be the one past the last.
mlir::Value firstRowOfTile(IndexBuilder &index, const RowSplit &split,
                           mlir::Value number);

/// How many tiles have a row before `row`, which is at most the last one's end.
mlir::Value tilesBefore(IndexBuilder &index, const RowSplit &split,
                        mlir::Value row);

/// Emits `body` for each size that a tile can have, and the choice between
/// them by the tile's number.
void emitTileOfRows(
    IndexBuilder &index, const RowSplit &split, mlir::Value number,
    llvm::function_ref<void(mlir::Value first, int64_t height)> body);

/// The same where a call says that there are `rows`: the tile `number` has
/// `height` of them, the last what is left, for which `body` is emitted with
/// the least of `lastHeights` (ascending, `height` the last) that is enough,
/// and with how many there are.
void emitSizedTileOfRows(
    IndexBuilder &index, int64_t height, llvm::ArrayRef<int64_t> lastHeights,
    const Number &rows, mlir::Value number,
    llvm::function_ref<void(mlir::Value first, int64_t height,
                            mlir::Value count)>
        body);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
