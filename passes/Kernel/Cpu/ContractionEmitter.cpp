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

#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Cpu/RootEmitters.h"

using namespace mlir;

namespace heddle {

void ContractionEmitter::resolveLimits() {
  auto limitOf = [&](const ContractionDim &dim) {
    Value steps =
        resolveLimit(frame, index, dim.limit, dim.extent / dim.limitScale);
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
  if (plan.packs)
    panel = frame.allocateScratch(accumulator,
                                  plan.blocks.depthBlock * plan.groupColumns());
  if (isBlocked())
    partialSums = frame.allocateScratch(accumulator, plan.blocks.rowTiles *
                                                         plan.split.bigRows *
                                                         plan.groupColumns());

  int64_t rowTiles = shape.outerRowCount() * plan.split.count();
  int64_t rowBlocks = llvm::divideCeil(rowTiles, plan.blocks.rowTiles);
  int64_t columnBlocks =
      llvm::divideCeil(plan.columnGroups, plan.blocks.columnGroups);

  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      index.delinearize(tile, {shape.outerCount(), columnBlocks, rowBlocks});
  coords.assign(result.getRank(), index.constant(0));
  lhsBase = index.constant(shape.lhsOffset);
  rhsBase = index.constant(shape.rhsOffset);
  SmallVector<int64_t> outerExtents;
  for (const ContractionDim &dim : shape.outer)
    outerExtents.push_back(dim.extent);
  SmallVector<Value> outer = index.delinearize(at[0], outerExtents);
  for (auto [dim, position] : llvm::zip_equal(shape.outer, outer)) {
    lhsBase = index.at(lhsBase, position, dim.lhs);
    rhsBase = index.at(rhsBase, position, dim.rhs);
    coords[*dim.out] = position;
  }

  auto range = [&](Value block, int64_t size, int64_t count) {
    Value begin = index.mul(block, size);
    Value end = index.add(begin, size);
    if (count % size != 0)
      end = index.min(end, index.constant(count));
    return std::make_pair(begin, end);
  };
  Value rowBegin, rowEnd, groupBegin, groupEnd;
  std::tie(rowBegin, rowEnd) = range(at[2], plan.blocks.rowTiles, rowTiles);
  std::tie(groupBegin, groupEnd) =
      range(at[1], plan.blocks.columnGroups, plan.columnGroups);
  RowRange rows{rowBegin, rowEnd};
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
    // Whole groups, then the one that is cut off.
    int64_t wholeGroups = shape.columnCount() / plan.groupColumns();
    int64_t tailColumns = shape.columnCount() % plan.groupColumns();
    Value wholeEnd = tailColumns
                         ? index.min(groupEnd, index.constant(wholeGroups))
                         : groupEnd;
    if (wholeGroups)
      index.loop(groupBegin, wholeEnd, 1, [&](Value number) {
        if (failed(emitGroup(
                {number, plan.groupColumns(), plan.tileShape.vectors}, rows)))
          status = failure();
      });
    if (tailColumns) {
      Value number = index.constant(wholeGroups);
      auto emitTail = [&] {
        int64_t vectors = llvm::divideCeil(tailColumns, plan.lanes);
        if (failed(emitGroup({number, tailColumns, vectors}, rows)))
          status = failure();
      };
      if (columnBlocks == 1 && !columnLimit)
        emitTail();
      else
        index.branch(index.less(number, groupEnd), emitTail);
    }
  });
  if (failed(status))
    return failure();
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
  return emitContraction(
      frame, cast<OpResult>(op.getResult()),
      ContractionShape::analyze(op, frame.machine.panelColumns));
}

} // namespace heddle
