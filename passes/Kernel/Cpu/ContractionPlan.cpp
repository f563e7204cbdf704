// Divides contractions by the numbers of the machine.

#include "passes/Kernel/Cpu/ContractionPlan.h"

#include "dialects/Kernel/Factors.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/Work.h"

using namespace mlir;
using namespace heddle;

static Type elementOf(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static int64_t bytesOf(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

/// Gives a tile of the grid as many groups, for fewer rows as long as these
/// share the copies of the columns.
static void shareCopies(const Machine &machine, int64_t columnGroups,
                        int64_t tileRows, ContractionBlocks &blocks) {
  int64_t groups = std::min(machine.groupsWorthWidening, columnGroups);
  if (blocks.columnGroups >= groups)
    return;
  int64_t least = llvm::divideCeil(machine.rowsWorthPanels, tileRows),
          fewer = blocks.rowTiles * blocks.columnGroups / groups;
  blocks.rowTiles = std::min(blocks.rowTiles, std::max(fewer, least));
  blocks.columnGroups = groups;
}

/// Whether rows and columns meet so often that both are rather copied as f32.
static bool isWorthWidening(const Machine &machine,
                            const ContractionShape &shape,
                            const ContractionPlan &plan) {
  return shape.perStep == kernel::kPair && !shape.row.extent.isSized() &&
         !shape.depthCount().isSized() && !shape.rest.isSized() &&
         shape.row.extent.bound() * shape.outerRowCount().bound() >=
             machine.rowsWorthPacking &&
         shape.columnCount().bound() >=
             machine.groupsWorthWidening * plan.groupColumns();
}

/// Chooses how matrix registers are loaded with what goes by.
static void chooseMatrixLoads(const Machine &machine,
                              const ContractionExtents &extents,
                              ContractionPlan &plan) {
  const ContractionBlocks &blocks = plan.blocks;
  int64_t rowBytes = extents.lhsBytes * plan.tileShape.rows * blocks.rowTiles;
  int64_t columnBytes =
      extents.rhsBytes * plan.groupColumns() * blocks.columnGroups;
  int64_t steps = blocks.rowsOutside ? extents.depth : blocks.depthBlock;
  plan.passesBy = 3 * steps * (blocks.rowsOutside ? columnBytes : rowBytes) >
                  2 * machine.l1Bytes;
  plan.copiesRows = !blocks.rowsOutside && extents.depth >= matrixSteps &&
                    blocks.columnGroups >= machine.groupsWorthCopies;
}

ContractionPlan heddle::planContraction(KernelFrame &frame,
                                        const ContractionShape &shape,
                                        Type accumulator) {
  ContractionPlan plan;
  plan.lanes = accumulatorLanes(accumulator);
  int64_t rows = shape.row.extent.bound(),
          columns = shape.columnCount().bound();
  plan.tileShape = chooseTileShape(frame.machine, rows, columns, plan.lanes);
  plan.fillsMatrices = shape.fillsMatrices;
  if (plan.fillsMatrices)
    plan.tileShape = matrixTileShape(frame.machine, rows, columns, plan.lanes);
  // Beside the sums a word and a number of each column, a row and a table.
  if (shape.scaled)
    plan.tileShape.rows = rowsOfWidened(frame.machine, rows, plan.tileShape);
  double outputs = double(shape.outerCount().bound()) *
                   shape.outerRowCount().bound() * rows * columns;
  Type lhs = elementOf(shape.lhs), rhs = elementOf(shape.rhs);
  Work work;
  work.operations = 2 * outputs * shape.depthCount().bound();
  work.accumulator = accumulator;
  work.factor = shape.scaled ? lhs : kernel::narrowerFactor(lhs, rhs);
  expectWork(frame, contractionNanoseconds(frame.machine, work, outputs));
  plan.isSmall = isSmallWork(frame.machine, work);
  if (auto products =
          shape.scaled || plan.fillsMatrices
              ? nullptr
              : StepProducts::of(frame.machine, shape.perStep, accumulator)) {
    int64_t fewerRows = products->rowsOf(rows, plan.tileShape);
    plan.widens = fewerRows < plan.tileShape.rows && !plan.isSmall &&
                  isWorthWidening(frame.machine, shape, plan);
    if (!plan.widens)
      plan.tileShape.rows = fewerRows;
  }
  bool isSized = shape.row.extent.isSized();
  if (isSized)
    plan.tileShape.rows =
        std::min(plan.tileShape.rows, frame.machine.mostSizedTileRows);
  else if (plan.isSmall && !plan.fillsMatrices)
    plan.tileShape.rows = evenRows(rows, plan.tileShape.rows);
  plan.split = splitRows(rows, plan.tileShape.rows);
  plan.rowTiles = plan.split.count();
  if (isSized) {
    plan.split.bigRows = plan.tileShape.rows;
    plan.sizedRows = SizedRows(frame, shape.row.extent, plan.tileShape.rows);
    plan.rowTiles = plan.sizedRows.tiles;
  }
  plan.columnGroups = shape.columnCount().ceilDiv(plan.groupColumns());
  int64_t outerRows = shape.outerRowCount().bound();
  int64_t rowTiles = outerRows * plan.rowTiles.bound();

  // Rows of pairs that lie apart are interleaved: once for one tile of rows,
  // else in panels.
  bool isWorthPacking =
      shape.perStep > 1 ? rowTiles > 1
                        : rows * outerRows >= frame.machine.rowsWorthPacking;
  plan.packs = !shape.isPacked && (!shape.columnStride().is(1) ||
                                   rhs.isInteger(1) || isWorthPacking);

  ContractionExtents extents;
  extents.outer = shape.outerCount().bound();
  extents.rows = rows * outerRows;
  extents.columns = columns;
  extents.depth = shape.depthCount().bound();
  extents.accumulator = accumulator;
  extents.factor = work.factor;
  extents.lhsBytes = bytesOf(plan.widens ? accumulator : lhs) * shape.perStep;
  extents.rhsBytes =
      bytesOf(plan.widens ? accumulator : rhs) * shape.rhsPerStep();
  extents.packsRhs = plan.packs || plan.widens;
  extents.sizedRows = isSized;
  extents.inMatrices = plan.fillsMatrices;
  extents.hasRest = extents.depth % matrixSteps != 0 || !shape.rest.is(0);
  plan.blocks = chooseBlocks(frame.machine, extents, plan.tileShape, rowTiles,
                             plan.columnGroups.bound(), plan.lanes);
  if (plan.fillsMatrices)
    chooseMatrixLoads(frame.machine, extents, plan);
  // Sums of steps of several terms rest between whole chains alone: whatever
  // the size of a cache they have the same bits.
  if (shape.perStep > 1 && !plan.fillsMatrices)
    plan.blocks.depthBlock =
        std::min(llvm::alignTo(plan.blocks.depthBlock, longestChain),
                 static_cast<uint64_t>(extents.depth));
  if (plan.widens)
    shareCopies(frame.machine, plan.columnGroups.bound(), plan.tileShape.rows,
                plan.blocks);

  // Chains of sums begin with blocks of scales, wherever the depth is cut.
  if (shape.scaled && plan.blocks.depthBlock < extents.depth) {
    int64_t chain = shape.scaled->chainSteps();
    plan.blocks.depthBlock =
        std::max(chain, plan.blocks.depthBlock / chain * chain);
  }

  plan.depth = shape.depth;
  if (plan.packs) {
    Extent stride = plan.groupColumns() * shape.perStep;
    for (ContractionDim &dim : llvm::reverse(plan.depth)) {
      dim.rhs = stride;
      stride = stride * dim.extent;
    }
    joinDims(plan.depth);
  }
  if (plan.depth.empty())
    plan.depth.push_back({shape.depthCount(), 0, 0, std::nullopt});
  // Only a single run is cut in blocks.
  if (plan.depth.size() > 1 || shape.depth.size() > 1)
    plan.blocks.depthBlock = shape.depthCount().bound();
  return plan;
}
