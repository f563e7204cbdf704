// Sizes of register tiles and of the pieces of work that threads claim: plain
// arithmetic on extents and on what the machine says about itself.

#ifndef HEDDLE_PASSES_KERNEL_CPU_TILECHOICE_H
#define HEDDLE_PASSES_KERNEL_CPU_TILECHOICE_H

#include "heddle/Target/Machine.h"
#include "heddle/Target/Target.h"

namespace heddle {

/// A run of `extent` rows as `bigCount` tiles of `bigRows`, then tiles of one
/// row less: all tiles keep the multipliers about equally busy, and code is
/// needed for two sizes only.
struct RowSplit {
  int64_t extent = 0;
  int64_t bigRows = 1;
  int64_t bigCount = 0;
  int64_t smallCount = 0;

  int64_t count() const { return bigCount + smallCount; }
  int64_t smallRows() const { return bigRows - 1; }
};

/// The fewest tiles of at most `maxRows`, as equal as can be.
RowSplit splitRows(int64_t extent, int64_t maxRows);

/// The largest divisor of `extent` that is at most `maxRows` and not much less;
/// `maxRows` if there is none. Tiles of one size need code for one size.
int64_t evenRows(int64_t extent, int64_t maxRows);

/// Equal parts of at most `most`.
int64_t evenParts(int64_t count, int64_t most);

/// The length of the pieces that work of `totalUs` is cut into.
double pieceUs(const Machine &machine, double totalUs);

/// A tile of accumulators: `rows` of `vectors` vectors each.
struct TileShape {
  int64_t rows = 1;
  int64_t vectors = 1;
};

/// The largest register tile for `rows` x `columns` results whose accumulators
/// are vectors of `lanes` elements, 64 bytes each (two registers on a machine
/// with 256-bit vectors). The columns of a tile divide a panel, or are a
/// multiple of it when there are too few rows to hide the latency of the
/// multiply-add.
TileShape chooseTileShape(const Machine &machine, int64_t rows, int64_t columns,
                          int64_t lanes);

/// The same of tiles in matrix registers: up to two registers of rows by the
/// columns of a panel, or half of one.
TileShape matrixTileShape(const Machine &machine, int64_t rows, int64_t columns,
                          int64_t lanes);

/// The height of tiles of `rows` rows, for which single floats would have that
/// of `tile`, where factors are widened or taken apart in registers: beside the
/// sums two vectors of each column, and three more.
int64_t rowsOfWidened(const Machine &machine, int64_t rows, TileShape tile);

/// The most rows of a tile that are sooner computed one by one than as the
/// whole tile: a single row waits for its own sums, whose vectors are few.
int64_t rowsOneByOne(const Machine &machine, TileShape tile);

/// A contraction for which the grid is chosen.
struct ContractionExtents {
  int64_t outer = 1;
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t depth = 1;
  /// What products are summed in, and what is multiplied; without `factor` the
  /// same.
  mlir::Type accumulator, factor;
  /// Bytes of an element of each operand.
  int64_t lhsBytes = 4;
  int64_t rhsBytes = 4;
  /// The right-hand side is copied into panels by whoever works on them, which
  /// pays only over many rows.
  bool packsRhs = false;
  /// A call says how many rows there are, `rows` at most.
  bool sizedRows = false;
  /// Sums are held in matrix registers.
  bool inMatrices = false;
  /// Some of the depth is behind the last whole product of these.
  bool hasRest = false;
};

/// How a contraction is cut. Results do not depend on it except through
/// `depthBlock`, which depends on the shape alone.
struct ContractionBlocks {
  /// Row tiles and column groups (the columns of one register tile) that are
  /// worked on together.
  int64_t rowTiles = 1;
  int64_t columnGroups = 1;
  /// Steps of the reduction between two visits of the accumulators' memory.
  int64_t depthBlock = 1;
  /// Tiles of the grid that a thread claims at once.
  int64_t chunk = 1;
  /// Whether passes over the rows fetch the next panel ahead.
  bool prefetch = false;
  /// In matrix registers, whether all column groups go by for a tile of rows,
  /// which then stays in the first cache; else all rows go by for a group.
  bool rowsOutside = false;
};

ContractionBlocks chooseBlocks(const Machine &machine,
                               const ContractionExtents &extents,
                               TileShape tile, int64_t rowTiles,
                               int64_t columnGroups, int64_t lanes);

/// Whether so little is computed, however many bytes move, that a few percent
/// of its time matter less than the length of its code, which takes
/// milliseconds to compile.
bool isSmallWork(const Machine &machine, const Work &work);

/// How many pieces of `work` each are claimed at once, of `count` equal ones.
int64_t chooseChunk(const Machine &machine, const Work &work, int64_t count);

} // namespace heddle

#endif // HEDDLE_PASSES_KERNEL_CPU_TILECHOICE_H
