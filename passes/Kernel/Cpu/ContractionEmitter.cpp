// kernel.contract as register tiles over panels of the right-hand side.
//
// A tile of the grid is a block of rows by a block of column groups (the
// columns of one register tile) of one batch element. Groups go outside, row
// tiles inside, so that a panel is read from memory once and from L2 then on.
//
// Where the launch says how far a dimension runs, tiles beyond are left out,
// and of a tile that is cut off the few rows before the limit are computed one
// by one, its columns whole. A row's sums are the same in a tile of any height.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Cpu/RootEmitters.h"

using namespace mlir;

namespace heddle {

void ContractionEmitter::resolveLimits() {
  auto limitOf = [&](const ContractionDim &dim) {
    Value steps = resolveLimit(frame, index, dim.limit,
                               dim.extent.bound() / dim.limitScale);
    return steps ? index.mul(steps, dim.limitScale) : Value();
  };
  auto limitsOf = [&](ArrayRef<ContractionDim> dims) {
    return llvm::map_to_vector(dims, limitOf);
  };
  outerLimits = limitsOf(shape.outer);
  outerRowLimits = limitsOf(shape.outerRows);
  depthLimits = limitsOf(plan.depth);
  rowLimit = limitOf(shape.row);
  // Columns of several dimensions may be computed beyond their limits.
  if (shape.columns.size() == 1)
    columnLimit = limitOf(shape.columns.front());
}

LogicalResult ContractionEmitter::emit() {
  auto result = cast<RankedTensorType>(root.getType());
  if (!accumulator.isIntOrFloat())
    return root.getOwner()->emitOpError("has elements of an unsupported type, ")
           << accumulator;
  auto outputOrFailure =
      TileOutput::create(frame, root, frame.machine.mostTileElements);
  if (failed(outputOrFailure))
    return failure();
  output.emplace(std::move(*outputOrFailure));
  if (result.getNumElements() == 0) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  lhsBuffer = frame.buffer(shape.lhs);
  rhsBuffer = frame.buffer(shape.rhs);
  if (!lhsBuffer || !rhsBuffer)
    return root.getOwner()->emitOpError("has an operand that is not in memory");
  plan = planContraction(frame, shape, accumulator);
  resolveLimits();
  int64_t panelElements = (plan.blocks.depthBlock + !shape.rest.is(0)) *
                          plan.groupColumns() * shape.perStep;
  if (plan.packs) {
    Type packed = shape.perStep > 1
                      ? cast<MemRefType>(rhsBuffer.getType()).getElementType()
                      : accumulator;
    panel = frame.allocateScratch(packed, panelElements);
  }
  if (plan.widens) {
    widePanel = frame.allocateScratch(accumulator, panelElements);
    wideRows = frame.allocateScratch(
        accumulator, plan.blocks.rowTiles * plan.split.bigRows * rowTerms());
  }
  if (plan.fillsMatrices)
    allocateMatrixScratch();
  else if (isBlocked())
    partialSums = frame.allocateScratch(accumulator, plan.blocks.rowTiles *
                                                         plan.split.bigRows *
                                                         plan.groupColumns());

  Extent rowTiles = shape.outerRowCount() * plan.rowTiles;
  Extent rowBlocks = rowTiles.ceilDiv(plan.blocks.rowTiles);
  Extent columnBlocks = plan.columnGroups.ceilDiv(plan.blocks.columnGroups);

  Value tile = frame.enterTileLoop();
  // What stays in the second cache while the other operand goes by does so from
  // one tile of the grid to the next.
  bool rowsGoBy = plan.fillsMatrices && !plan.blocks.rowsOutside;
  SmallVector<Extent> grid = {shape.outerCount(), columnBlocks, rowBlocks};
  if (rowsGoBy)
    std::swap(grid[1], grid[2]);
  SmallVector<Value> at = indicesAt(frame, index, tile, grid);
  if (rowsGoBy)
    std::swap(at[1], at[2]);
  coords.assign(result.getRank(), index.constant(0));
  lhsBase = valueOf(shape.lhsOffset);
  rhsBase = valueOf(shape.rhsOffset);
  SmallVector<Extent> outerExtents;
  for (const ContractionDim &dim : shape.outer)
    outerExtents.push_back(dim.extent);
  SmallVector<Value> outer = indicesAt(frame, index, at[0], outerExtents);
  for (auto [dim, position] : llvm::zip_equal(shape.outer, outer)) {
    lhsBase = index.at(lhsBase, position, frame.numberOf(dim.lhs));
    rhsBase = index.at(rhsBase, position, frame.numberOf(dim.rhs));
    coords[*dim.out] = position;
  }

  auto range = [&](Value block, int64_t size, const Extent &count) {
    Value begin = index.mul(block, size);
    Value end = index.add(begin, size);
    if (!count.isMultipleOf(size))
      end = index.min(end, valueOf(count));
    return std::make_pair(begin, end);
  };
  Value rowBegin, rowEnd, groupBegin, groupEnd;
  std::tie(rowBegin, rowEnd) = range(at[2], plan.blocks.rowTiles, rowTiles);
  std::tie(groupBegin, groupEnd) =
      range(at[1], plan.blocks.columnGroups, plan.columnGroups);
  RowRange rows{rowBegin, rowEnd};
  firstTile = rowBegin;
  if (columnLimit)
    groupEnd = index.min(
        groupEnd, index.div(index.add(columnLimit, plan.groupColumns() - 1),
                            plan.groupColumns()));
  // Nothing is packed for rows that are all left out.
  Value isWanted = isBefore(index, outer, outerLimits);
  if (shape.outerRows.empty() && rowLimit)
    isWanted =
        both(index, isWanted,
             index.less(firstRowOfTile(index, plan.split, rowBegin), rowLimit));
  if (shape.outerRows.size() == 1 && outerRowLimits.front())
    isWanted = both(index, isWanted,
                    index.less(index.div(rowBegin, plan.split.count()),
                               outerRowLimits.front()));

  LogicalResult status = success();
  emitWhere(index, isWanted, [&] {
    if (plan.widens)
      widenRows(rows);
    auto emitWholeGroups = [&](Value end) {
      Group whole{{}, plan.groupColumns(), plan.tileShape.vectors};
      if (plan.fillsMatrices) {
        if (failed(emitInMatrices(groupBegin, end, whole, rows)))
          status = failure();
        return;
      }
      index.loop(groupBegin, end, 1, [&](Value number) {
        whole.number = number;
        if (failed(emitGroup(whole, rows)))
          status = failure();
      });
    };
    // Whole groups, then the one that is cut off.
    if (shape.columnCount().isSized()) {
      if (shape.columnCount().isMultipleOf(plan.groupColumns()))
        return emitWholeGroups(groupEnd);
      Value count = valueOf(shape.columnCount());
      Value number = index.div(count, plan.groupColumns());
      emitWholeGroups(index.min(groupEnd, number));
      Value left = index.sub(count, index.mul(number, plan.groupColumns()));
      index.branch(index.less(number, groupEnd), [&] {
        if (failed(emitGroup({number, left, plan.tileShape.vectors}, rows)))
          status = failure();
      });
      return;
    }
    int64_t columns = shape.columnCount().bound();
    int64_t wholeGroups = columns / plan.groupColumns();
    int64_t tailColumns = columns % plan.groupColumns();
    Value wholeEnd = tailColumns
                         ? index.min(groupEnd, index.constant(wholeGroups))
                         : groupEnd;
    if (wholeGroups)
      emitWholeGroups(wholeEnd);
    if (tailColumns) {
      Value number = index.constant(wholeGroups);
      auto emitTail = [&] {
        int64_t vectors = llvm::divideCeil(tailColumns, plan.lanes);
        if (failed(emitGroup({number, tailColumns, vectors}, rows)))
          status = failure();
      };
      if (columnBlocks.is(1) && !columnLimit)
        emitTail();
      else
        index.branch(index.less(number, groupEnd), emitTail);
    }
  });
  if (failed(status))
    return failure();
  if (plan.fillsMatrices)
    MatrixTile::release(frame.builder, loc);
  frame.finish(shape.outerCount() * columnBlocks * rowBlocks,
               plan.blocks.chunk);
  return success();
}

LogicalResult emitContraction(KernelFrame &frame, OpResult root,
                              ContractionShape shape) {
  return ContractionEmitter(frame, root, std::move(shape)).emit();
}

LogicalResult emitContraction(KernelFrame &frame, kernel::ContractOp op) {
  if (failed(checkLimits(frame, op, op.getLimits())))
    return failure();
  FailureOr<ContractionShape> shape =
      ContractionShape::analyze(op, frame.machine);
  if (failed(shape))
    return failure();
  return emitContraction(frame, cast<OpResult>(op.getResult()),
                         std::move(*shape));
}

} // namespace heddle
