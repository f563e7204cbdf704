#include "passes/Kernel/Cpu/TileChoice.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace heddle {

/// Work that a core does in a microsecond, as orders of magnitude: the grid
/// only needs to know microseconds from milliseconds.
static constexpr double flopsPerMicrosecond = 100e3;
static constexpr double bytesPerMicrosecond = 15e3;

/// A claimed piece shorter than this costs more in claiming than it gives in
/// balance; one longer than that delays the region when its thread is
/// preempted.
static constexpr double shortestPieceUs = 10;
static constexpr double longestPieceUs = 60;
/// Pieces wanted of a region that is long enough.
static constexpr double wantedPieces = 32;

/// Passes over a panel that are too few to hide the way of the next one from
/// memory, if that has to wait until the last.
static constexpr int64_t fewRowTiles = 4;

static double microseconds(double flops, double bytes) {
  return std::max(flops / flopsPerMicrosecond, bytes / bytesPerMicrosecond);
}

static double pieceUs(double totalUs) {
  return std::clamp(totalUs / wantedPieces, shortestPieceUs, longestPieceUs);
}

RowSplit splitRows(int64_t extent, int64_t maxRows) {
  if (extent <= 0)
    return {};
  int64_t count = llvm::divideCeil(extent, maxRows);
  int64_t bigRows = llvm::divideCeil(extent, count);
  int64_t smallCount = bigRows * count - extent;
  return {extent, bigRows, count - smallCount, smallCount};
}

int64_t evenRows(int64_t extent, int64_t maxRows) {
  for (int64_t rows = maxRows; rows > maxRows / 2; --rows)
    if (extent % rows == 0)
      return rows;
  return maxRows;
}

bool isSmallWork(double flops) {
  constexpr double longestUs = 20;
  return microseconds(flops, /*bytes=*/0) <= longestUs;
}

TileShape chooseTileShape(const Machine &machine, int64_t rows, int64_t columns,
                          int64_t lanes) {
  // A 64-byte accumulator takes this many registers, and so does a piece of
  // the right-hand side; one more holds the broadcast.
  int64_t perVector = std::max<int64_t>(1, 512 / machine.vectorBits);
  int64_t panelVectors = panelColumns / lanes;
  // Latency times throughput of the multiply-add: 4 cycles, 2 each.
  int64_t wanted = llvm::divideCeil(8, perVector);
  int64_t vectorsNeeded =
      std::max<int64_t>(1, llvm::divideCeil(columns, lanes));

  // With 32 wide registers a tile takes a whole panel and 14 rows: 28
  // accumulators, 16 loads per 28 multiply-adds, and what convolutions of 7,
  // 14, 28 and 56 columns divide into. With 16 registers half a panel and 6
  // rows (as 12 registers).
  int64_t registers = machine.vectorRegisters / perVector;
  TileShape shape;
  shape.vectors =
      registers >= 32 ? panelVectors : std::max<int64_t>(1, panelVectors / 2);
  shape.vectors = std::min(shape.vectors, vectorsNeeded);
  int64_t forRows = machine.vectorRegisters - 1 - shape.vectors * perVector;
  shape.rows =
      std::clamp<int64_t>(forRows / (shape.vectors * perVector), 1, 14);
  shape.rows = splitRows(rows, shape.rows).bigRows;

  // Too few rows: several panels at once.
  while (shape.rows * shape.vectors < wanted &&
         shape.vectors * 2 <= vectorsNeeded && shape.vectors < 8)
    shape.vectors *= 2;
  return shape;
}

ContractionBlocks chooseBlocks(const Machine &machine,
                               const ContractionExtents &extents,
                               TileShape tile, int64_t rowTiles,
                               int64_t columnGroups, int64_t lanes) {
  ContractionBlocks blocks;
  int64_t depth = std::max<int64_t>(1, extents.depth);
  int64_t groupColumns = tile.vectors * lanes;

  // What is read again for each row tile should stay in half of L2. Over few
  // row tiles the next part is on its way meanwhile and needs room too.
  blocks.depthBlock = depth;
  int64_t panelBytes = depth * groupColumns * extents.rhsBytes;
  int64_t room = machine.l2Bytes / (rowTiles <= fewRowTiles ? 8 : 2);
  if (rowTiles > 1 && panelBytes > room) {
    int64_t pieces = llvm::divideCeil(panelBytes, room);
    blocks.depthBlock = llvm::divideCeil(depth, pieces);
  }

  double rowTileFlops = 2.0 * tile.rows * groupColumns * depth;
  double totalUs = microseconds(
      2.0 * extents.outer * extents.rows * extents.columns * depth,
      double(extents.outer) * extents.columns * depth * extents.rhsBytes);
  double wantedUs = pieceUs(totalUs);

  // Rows: all, while the left-hand side stays near; then enough to pay for
  // streaming the panel (one byte per cycle at 128 rows).
  int64_t nearRows =
      std::max<int64_t>(64, machine.l2Bytes / 2 / (depth * extents.lhsBytes));
  blocks.rowTiles = rowTiles;
  if (extents.rows * depth * extents.lhsBytes > 2 * machine.l2Bytes)
    blocks.rowTiles =
        std::min<int64_t>(rowTiles, llvm::divideCeil(nearRows, tile.rows));

  double groupUs =
      microseconds(rowTileFlops * blocks.rowTiles, double(panelBytes));
  if (groupUs > 2 * wantedUs) {
    // Packing is repeated by every block of rows, so these stay tall.
    int64_t leastRows = extents.packsRhs ? 128 : 32;
    int64_t fewer = blocks.rowTiles * wantedUs / groupUs;
    blocks.rowTiles = std::min(
        blocks.rowTiles,
        std::max<int64_t>(fewer, llvm::divideCeil(leastRows, tile.rows)));
    // Equal blocks.
    int64_t count = llvm::divideCeil(rowTiles, blocks.rowTiles);
    blocks.rowTiles = llvm::divideCeil(rowTiles, count);
  } else {
    blocks.columnGroups =
        std::clamp<int64_t>(wantedUs / groupUs, 1, columnGroups);
    int64_t count = llvm::divideCeil(columnGroups, blocks.columnGroups);
    blocks.columnGroups = llvm::divideCeil(columnGroups, count);
  }

  double tileUs =
      microseconds(rowTileFlops * blocks.rowTiles * blocks.columnGroups,
                   double(panelBytes) * blocks.columnGroups);
  blocks.chunk = std::max<int64_t>(1, wantedUs / std::max(tileUs, 1e-3));
  int64_t tiles = extents.outer * llvm::divideCeil(rowTiles, blocks.rowTiles) *
                  llvm::divideCeil(columnGroups, blocks.columnGroups);
  blocks.chunk = std::min(blocks.chunk, std::max<int64_t>(1, tiles));

  // Few passes over a panel do not hide the time that the next one takes to
  // arrive; many do.
  double allPanels = double(extents.columns) * depth * extents.rhsBytes;
  blocks.prefetch = !extents.packsRhs && blocks.rowTiles >= 2 &&
                    blocks.rowTiles <= 16 && allPanels > machine.l2Bytes;
  return blocks;
}

int64_t chooseChunk(double flops, double bytes, int64_t count) {
  double us = microseconds(flops, bytes);
  double wanted = pieceUs(us * count);
  return std::clamp<int64_t>(wanted / std::max(us, 1e-3), 1,
                             std::max<int64_t>(1, count));
}

} // namespace heddle
