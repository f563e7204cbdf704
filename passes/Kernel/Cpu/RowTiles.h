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

/// A tile of as many rows as a call says.
struct SizedTile {
  mlir::Value first;
  /// How many rows code is written for.
  int64_t height = 1;
  /// How many of them there are, if not all: the last may be missing. What is
  /// read in its place must exist, and what is computed is not stored.
  mlir::Value count;
};

/// As many rows as a call says, in the fewest tiles of at most `mostRows`, all
/// of which have one of two heights next to each other. Heights are even, so
/// that code is needed for half of them; an odd number of rows lacks the last
/// row of the last tile.
struct SizedRows {
  Extent rows = 0, tiles = 0;
  int64_t mostRows = 1;
  /// Heights are multiples of it, but for that of a single row.
  int64_t step = 1;
  /// The lowest tile that there is at any size, a single row left out.
  int64_t leastRows = 1;
  /// Whether the last row of the last tile may be missing.
  bool mayLack = false;
  /// Whether there may be one row alone.
  bool mayBeOne = false;
  /// A number that all there may be are multiples of.
  int64_t divisor = 1;
  /// Whether code is needed for one height only, whose tiles are all full.
  bool haveOneHeight() const { return leastRows == mostRows && !mayLack; }

  SizedRows() = default;
  SizedRows(const KernelFrame &frame, const Extent &rows, int64_t mostRows)
      : SizedRows(rows, mostRows, frame.least(rows), frame.divisor(rows)) {}
  /// For parts that have `rows` rows at most, `least` at least, and multiples
  /// of `divisor`.
  SizedRows(const Extent &rows, int64_t mostRows, int64_t least,
            int64_t divisor);

  /// The tiles of a part of `count` rows.
  SizedRows part(IndexBuilder &index, mlir::Value count) const;
  /// How many tiles there are, in this part.
  mlir::Value tileCount(IndexBuilder &index, KernelFrame &frame) const {
    return partTiles ? partTiles : index.valueOf(frame.numberOf(tiles));
  }

  /// The first row of tile `number`, which may be the one past the last, in a
  /// kernel that has rows.
  mlir::Value firstRowOf(IndexBuilder &index, KernelFrame &frame,
                         mlir::Value number) const;
  /// The first row of tile `number`, and how many there are.
  std::pair<mlir::Value, mlir::Value>
  rowsOf(IndexBuilder &index, KernelFrame &frame, mlir::Value number) const;
  /// Emits `body` for every height, and the choice between them.
  void emitTile(IndexBuilder &index, KernelFrame &frame, mlir::Value number,
                llvm::function_ref<void(const SizedTile &)> body) const;

private:
  /// Of a part, how many there are in it. Null if these are all.
  mlir::Value partRows, partTiles;
};

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_ROWTILES_H
