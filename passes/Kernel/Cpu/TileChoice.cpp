// Chooses register tiles and pieces of work by the machine's numbers.

#include "passes/Kernel/Cpu/TileChoice.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

namespace heddle {

double pieceUs(const Machine &machine, double totalUs) {
  const MachineRates &rates = machine.rates;
  return std::clamp(totalUs / rates.wantedPieces, rates.shortestPieceUs,
                    rates.longestPieceUs);
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

bool isSmallWork(const Machine &machine, const Work &work) {
  return machine.microseconds(work.operations, /*bytes=*/0, work.accumulator,
                              work.factor) <= machine.rates.briefNs / 1e3;
}

TileShape chooseTileShape(const Machine &machine, int64_t rows, int64_t columns,
                          int64_t lanes) {
  // A logical vector takes this many registers, and so does a piece of
  // the right-hand side; one more holds the broadcast.
  int64_t perVector = machine.registersPerVector();
  int64_t panelVectors = machine.panelColumns / lanes;
  int64_t wanted = llvm::divideCeil(machine.multiplyAddsInFlight, perVector);
  int64_t vectorsNeeded =
      std::max<int64_t>(1, llvm::divideCeil(columns, lanes));

  auto rowsOf = [&](int64_t vectors) {
    int64_t forRows = machine.vectorRegisters - 1 - vectors * perVector;
    return std::clamp<int64_t>(forRows / (vectors * perVector), 1,
                               machine.mostTileRows);
  };
  auto loadsPerMultiplyAdd = [&](int64_t vectors) {
    double rows = rowsOf(vectors), registers = vectors * perVector;
    return (rows + registers) / (rows * registers);
  };
  // A whole panel or half of one, whichever loads less. With 32 wide registers
  // a panel and 14 rows: 28 accumulators, 16 loads per 28 multiply-adds, and
  // what convolutions of 7, 14, 28 and 56 columns divide into. With 16
  // registers half a panel and 6 rows (as 12 registers).
  int64_t halfPanel = std::max<int64_t>(1, panelVectors / 2);
  TileShape shape;
  shape.vectors =
      loadsPerMultiplyAdd(panelVectors) < loadsPerMultiplyAdd(halfPanel)
          ? panelVectors
          : halfPanel;
  shape.vectors = std::min(shape.vectors, vectorsNeeded);
  shape.rows = splitRows(rows, rowsOf(shape.vectors)).bigRows;

  // Too few rows: several panels at once.
  while (shape.rows * shape.vectors < wanted &&
         shape.vectors * 2 <= vectorsNeeded &&
         shape.vectors < machine.mostTileVectors)
    shape.vectors *= 2;
  return shape;
}

TileShape matrixTileShape(const Machine &machine, int64_t rows, int64_t columns,
                          int64_t lanes) {
  TileShape shape;
  shape.rows = splitRows(rows, 2 * matrixRegisterRows).bigRows;
  shape.vectors =
      std::min<int64_t>(machine.panelColumns / lanes,
                        std::max<int64_t>(1, llvm::divideCeil(columns, lanes)));
  return shape;
}

int64_t rowsOfWidened(const Machine &machine, int64_t rows, TileShape tile) {
  int64_t registers = tile.vectors * machine.registersPerVector();
  int64_t most = std::max<int64_t>(
      1, (machine.vectorRegisters - 3 - 2 * registers) / registers);
  return tile.rows <= most ? tile.rows : splitRows(rows, most).bigRows;
}

int64_t rowsOneByOne(const Machine &machine, TileShape tile) {
  int64_t perVector = machine.registersPerVector();
  int64_t timeOfOne =
      std::max<int64_t>(1, llvm::divideCeil(machine.multiplyAddsInFlight,
                                            tile.vectors * perVector));
  return (tile.rows - 1) / timeOfOne;
}

int64_t evenParts(int64_t count, int64_t most) {
  return llvm::divideCeil(count, llvm::divideCeil(count, most));
}

/// Steps of a block of the depth in matrix registers where rows go by, equal as
/// far as whole products go: one of a panel stays in the first cache beside
/// what goes through that of rows and sums.
static int64_t matrixDepthBlock(const Machine &machine, int64_t stepBytes,
                                int64_t products) {
  int64_t near = machine.l1Bytes * 2 / 3 / stepBytes / matrixSteps;
  return matrixSteps * evenParts(products, std::max<int64_t>(1, near));
}

namespace {
/// A tile of rows and a group of columns in matrix registers, of the whole
/// depth, and what their products take.
struct MatrixCosts {
  int64_t rowBytes, groupBytes;
  double us;
};
} // namespace

/// Whether panels go by for a tile of rows: one that stays in the first cache
/// while they come from the second. From memory they come for the first tile of
/// rows, which has to be one of many; else rows rather go by while the next
/// panel is fetched, unless they are too few to hide its way.
static bool areRowsOutside(const Machine &machine,
                           const ContractionExtents &extents,
                           const MatrixCosts &costs, int64_t rowTiles) {
  bool isNear = 3 * costs.rowBytes <= 2 * machine.l1Bytes;
  bool isWorthwhile =
      rowTiles < machine.fewPasses || rowTiles > machine.prefetchedPasses;
  return !extents.hasRest && isNear && isWorthwhile;
}

/// The most tiles of rows that go by for a panel: beside them panels go through
/// the second cache, and what is written. But they hide the way of the next
/// panel from memory.
static int64_t mostTilesGoingBy(const Machine &machine,
                                const MatrixCosts &costs) {
  double panelUs = costs.groupBytes / machine.rates.bytesPerUs;
  int64_t hiding = panelUs / costs.us + 1;
  return std::clamp<int64_t>(
      hiding, std::max<int64_t>(1, machine.l2Bytes / 4 / costs.rowBytes),
      std::max<int64_t>(1, machine.l2Bytes / 2 / costs.rowBytes));
}

/// What goes by for a tile of rows or for a group of columns stays in the
/// second cache.
static ContractionBlocks chooseMatrixBlocks(const Machine &machine,
                                            const ContractionExtents &extents,
                                            TileShape tile, int64_t rowTiles,
                                            int64_t columnGroups,
                                            int64_t lanes) {
  int64_t depth = std::max<int64_t>(1, extents.depth),
          groupColumns = tile.vectors * lanes;
  double perStep = 2 / machine.rates.flopsPerUsMatrix;
  double totalUs =
      perStep * extents.outer * extents.rows * extents.columns * depth;
  MatrixCosts costs = {depth * tile.rows * extents.lhsBytes,
                       depth * groupColumns * extents.rhsBytes,
                       perStep * tile.rows * groupColumns * depth};
  // However long: products are so quick that small pieces wait for memory.
  double wantedUs = std::max(totalUs / machine.rates.wantedPieces,
                             machine.rates.shortestPieceUs);
  int64_t wantedTiles = std::max<int64_t>(1, wantedUs / costs.us);

  ContractionBlocks blocks;
  blocks.rowsOutside = areRowsOutside(machine, extents, costs, rowTiles);
  blocks.depthBlock = depth;
  if (int64_t products = depth / matrixSteps;
      products > 1 && !blocks.rowsOutside)
    blocks.depthBlock =
        matrixDepthBlock(machine, groupColumns * extents.rhsBytes, products);
  columnGroups = std::max<int64_t>(1, columnGroups);
  if (blocks.rowsOutside && rowTiles > machine.prefetchedPasses) {
    // The panels stay from one piece to the next.
    int64_t near = std::max<int64_t>(1, machine.l2Bytes / 2 / costs.groupBytes);
    blocks.columnGroups =
        evenParts(columnGroups, std::min({columnGroups, near, wantedTiles}));
    blocks.rowTiles = evenParts(
        rowTiles,
        std::clamp<int64_t>(wantedTiles / blocks.columnGroups, 1, rowTiles));
  } else {
    blocks.rowTiles = evenParts(
        rowTiles,
        std::min({rowTiles, mostTilesGoingBy(machine, costs), wantedTiles}));
    blocks.columnGroups = evenParts(
        columnGroups,
        std::clamp<int64_t>(wantedTiles / blocks.rowTiles, 1, columnGroups));
  }
  int64_t tiles = extents.outer * llvm::divideCeil(rowTiles, blocks.rowTiles) *
                  llvm::divideCeil(columnGroups, blocks.columnGroups);
  double blockUs = costs.us * blocks.rowTiles * blocks.columnGroups;
  blocks.chunk =
      std::clamp<int64_t>(wantedUs / blockUs, 1, std::max<int64_t>(1, tiles));
  return blocks;
}

ContractionBlocks chooseBlocks(const Machine &machine,
                               const ContractionExtents &extents,
                               TileShape tile, int64_t rowTiles,
                               int64_t columnGroups, int64_t lanes) {
  if (extents.inMatrices)
    return chooseMatrixBlocks(machine, extents, tile, rowTiles, columnGroups,
                              lanes);
  ContractionBlocks blocks;
  int64_t depth = std::max<int64_t>(1, extents.depth);
  int64_t groupColumns = tile.vectors * lanes;

  // What is read again for each row tile should stay in half of L2. Over few
  // row tiles the next part is on its way meanwhile and needs room too.
  blocks.depthBlock = depth;
  int64_t panelBytes = depth * groupColumns * extents.rhsBytes;
  bool mayBeFew = extents.sizedRows || rowTiles <= machine.fewPasses;
  int64_t room = machine.l2Bytes / (mayBeFew ? 8 : 2);
  if (rowTiles > 1 && panelBytes > room) {
    int64_t pieces = llvm::divideCeil(panelBytes, room);
    blocks.depthBlock = llvm::divideCeil(depth, pieces);
  }

  double rowTileFlops = 2.0 * tile.rows * groupColumns * depth;
  auto microseconds = [&](double flops, double bytes) {
    return machine.microseconds(flops, bytes, extents.accumulator,
                                extents.factor);
  };
  double totalUs = microseconds(
      2.0 * extents.outer * extents.rows * extents.columns * depth,
      double(extents.outer) * extents.columns * depth * extents.rhsBytes);
  double wantedUs = pieceUs(machine, totalUs);

  // Rows: all, while the left-hand side stays near; then enough to pay for
  // streaming the panel.
  int64_t nearRows = std::max(machine.rowsWorthRereading,
                              machine.l2Bytes / 2 / (depth * extents.lhsBytes));
  blocks.rowTiles = rowTiles;
  if (extents.rows * depth * extents.lhsBytes > 2 * machine.l2Bytes)
    blocks.rowTiles =
        std::min<int64_t>(rowTiles, llvm::divideCeil(nearRows, tile.rows));

  double groupUs =
      microseconds(rowTileFlops * blocks.rowTiles, double(panelBytes));
  if (groupUs > 2 * wantedUs) {
    // Packing is repeated by every block of rows, so these stay tall.
    int64_t leastRows =
        extents.packsRhs ? machine.rowsWorthPanels : machine.rowsWorthStreaming;
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
  blocks.prefetch =
      !extents.packsRhs && blocks.rowTiles >= 2 &&
      (extents.sizedRows || blocks.rowTiles <= machine.prefetchedPasses) &&
      allPanels > machine.l2Bytes;
  return blocks;
}

int64_t chooseChunk(const Machine &machine, const Work &work, int64_t count) {
  double us = machine.microseconds(work.operations, work.bytes,
                                   work.accumulator, work.factor);
  double wanted = pieceUs(machine, us * count);
  return std::clamp<int64_t>(wanted / std::max(us, 1e-3), 1,
                             std::max<int64_t>(1, count));
}

} // namespace heddle
