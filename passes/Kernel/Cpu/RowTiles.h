// Code for rows that were split into tiles, of two sizes or as calls say.

#ifndef HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
#define HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H

#include "passes/Kernel/Cpu/KernelFrame.h"
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

/// As many rows as a call says, in the fewest tiles of at most `mostRows`, all
/// of which have one of two heights next to each other.
struct SizedRows {
  Extent rows = 0, tiles = 0;
  int64_t mostRows = 1;
  /// The lowest tile that there is at any size.
  int64_t leastRows = 1;

  SizedRows() = default;
  SizedRows(const KernelFrame &frame, const Extent &rows, int64_t mostRows);

  /// The first row of tile `number`, which may be the one past the last, in a
  /// kernel that has rows.
  mlir::Value firstRowOf(IndexBuilder &index, KernelFrame &frame,
                         mlir::Value number) const;
  /// Emits `body` for every height, and the choice between them.
  void emitTile(
      IndexBuilder &index, KernelFrame &frame, mlir::Value number,
      llvm::function_ref<void(mlir::Value first, int64_t height)> body) const;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
