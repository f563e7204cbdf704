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

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
