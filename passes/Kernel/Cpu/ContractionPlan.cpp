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

ContractionPlan heddle::planContraction(KernelFrame &frame,
                                        const ContractionShape &shape,
                                        Type accumulator) {
  ContractionPlan plan;
  plan.lanes = accumulatorLanes(accumulator);
  int64_t rows = shape.row.extent.bound(),
          columns = shape.columnCount().bound();
  plan.tileShape = chooseTileShape(frame.machine, rows, columns, plan.lanes);
  if (auto products =
          StepProducts::of(frame.machine, shape.perStep, accumulator))
    plan.tileShape.rows = products->rowsOf(rows, plan.tileShape);
  double outputs = double(shape.outerCount().bound()) *
                   shape.outerRowCount().bound() * rows * columns;
  Type lhs = elementOf(shape.lhs), rhs = elementOf(shape.rhs);
  Work work;
  work.operations = 2 * outputs * shape.depthCount().bound();
  work.accumulator = accumulator;
  work.factor = kernel::narrowerFactor(lhs, rhs);
  expectWork(frame, contractionNanoseconds(frame.machine, work, outputs));
  plan.isSmall = isSmallWork(frame.machine, work);
  bool isSized = shape.row.extent.isSized();
  if (isSized)
    plan.tileShape.rows =
        std::min(plan.tileShape.rows, frame.machine.mostSizedTileRows);
  else if (plan.isSmall)
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
  extents.lhsBytes = bytesOf(lhs) * shape.perStep;
  extents.rhsBytes = bytesOf(rhs) * shape.perStep;
  extents.packsRhs = plan.packs;
  extents.sizedRows = isSized;
  plan.blocks = chooseBlocks(frame.machine, extents, plan.tileShape, rowTiles,
                             plan.columnGroups.bound(), plan.lanes);

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
