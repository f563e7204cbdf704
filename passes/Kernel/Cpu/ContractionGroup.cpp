// The columns of one register tile, for all rows of the grid's tile: at once,
// or block after block of the depth.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "passes/Kernel/Cpu/Limits.h"

using namespace mlir;
using namespace heddle;

void ContractionEmitter::emitRowTile(Value number, Value inner, RowsBody body) {
  auto emitRows = [&](Value row, int64_t height) {
    body({number, row, height, /*inTile=*/index.constant(0)});
  };
  if (shape.row.extent.isSized())
    return plan.sizedRows.emitTile(index, frame, inner, emitRows);
  auto emitWhole = [&] { emitTileOfRows(index, plan.split, inner, emitRows); };
  if (!rowLimit)
    return emitWhole();
  Value first = firstRowOfTile(index, plan.split, inner);
  int64_t few =
      rowsOneByOne(frame.machine, {plan.split.bigRows, plan.tileShape.vectors});
  index.branch(
      index.less(index.constant(few), index.sub(rowLimit, first)), emitWhole,
      [&] {
        Value next = firstRowOfTile(index, plan.split, index.add(inner, 1));
        index.loop(first, index.min(rowLimit, next), 1, [&](Value row) {
          body({number, row, 1, index.sub(row, first)});
        });
      });
}

void ContractionEmitter::emitRowTiles(RowRange rows, RowsBody body) {
  index.loop(rows.begin, rows.end, 1, [&](Value number) {
    Value inner = number;
    if (!shape.outerRowCount().is(1))
      inner = index.rem(number, frame.numberOf(plan.rowTiles));
    Value wanted;
    if (llvm::any_of(outerRowLimits, [](Value limit) { return bool(limit); }))
      wanted = isBefore(index, outerRowsAt(number), outerRowLimits);
    emitWhere(index, wanted, [&] { emitRowTile(number, inner, body); });
  });
}

SmallVector<Value> ContractionEmitter::sumUpOuter(RegisterTile &tile,
                                                  TileLhs lhs, TileRhs rhs,
                                                  ArrayRef<ContractionDim> dims,
                                                  ArrayRef<Value> limits,
                                                  ValueRange sums) {
  const ContractionDim &dim = dims.front();
  Value end = endOf(dim, limits.front());
  if (dims.size() == 1) {
    lhs.step = frame.numberOf(dim.lhs);
    rhs.step = frame.numberOf(dim.rhs);
    tile.mostSteps = dim.extent.bound();
    return tile.accumulate(lhs, rhs, index.constant(0), end, sums);
  }
  return index.loop(
      index.constant(0), end, 1, sums, [&](Value position, ValueRange carried) {
        TileLhs innerLhs = lhs;
        TileRhs innerRhs = rhs;
        Number lhsStride = frame.numberOf(dim.lhs);
        innerLhs.base = index.at(lhs.base, position, lhsStride);
        for (Value &start : innerLhs.starts)
          start = index.at(start, position, lhsStride);
        innerRhs.base = index.at(rhs.base, position, frame.numberOf(dim.rhs));
        return sumUpOuter(tile, innerLhs, innerRhs, dims.drop_front(),
                          limits.drop_front(), carried);
      });
}

SmallVector<Value> ContractionEmitter::sumUp(RegisterTile &tile, TileLhs lhs,
                                             TileRhs rhs, Value low, Value high,
                                             ValueRange sums,
                                             const TilePrefetch *prefetch) {
  if (plan.depth.size() > 1)
    return sumUpOuter(tile, lhs, rhs, plan.depth, depthLimits, sums);
  if (!isBlocked())
    tile.mostSteps = plan.depth.front().extent.bound();
  lhs.step = frame.numberOf(plan.depth.front().lhs);
  rhs.step = frame.numberOf(plan.depth.front().rhs);
  // The copy holds the current block only.
  if (plan.packs)
    rhs.base = index.sub(rhs.base, index.mul(low, rhs.step));
  return tile.accumulate(lhs, rhs, low, high, sums, prefetch);
}

Number ContractionEmitter::shareOfPass(RowRange rows) {
  int64_t columns = plan.groupColumns();
  if (!shape.row.extent.isSized())
    return llvm::divideCeil(columns, plan.blocks.rowTiles);
  Value passes = index.sub(rows.end, rows.begin);
  return index.div(index.add(passes, columns - 1), passes);
}

LogicalResult ContractionEmitter::emitGroup(const Group &group, RowRange rows) {
  LogicalResult status = success();
  TileRhs rhs = rhsOf(group);
  Value zero = index.constant(0);
  // Several dimensions of a sum end each by itself.
  Value depthEnd = plan.depth.size() == 1
                       ? endOf(plan.depth.front(), depthLimits.front())
                       : valueOf(shape.depthCount());
  auto makeTile = [&](int64_t height) {
    RegisterTile tile(frame.builder, loc, accumulator, height, group.vectors);
    if (plan.isSmall)
      tile.stepsPerIteration = 1;
    return tile;
  };
  auto storeTile = [&](RegisterTile &tile, ValueRange sums, const Rows &rows) {
    if (failed(output->store(tile, sums, placeOf(group, rows))))
      status = failure();
  };

  // Each pass over a block of a panel fetches its share of what follows in
  // memory: the next block, or the next panel.
  bool prefetches = plan.blocks.prefetch && shape.isPacked &&
                    plan.depth.size() == 1 &&
                    plan.groupColumns() == frame.machine.panelColumns;
  Number share;
  if (prefetches)
    share = shareOfPass(rows);
  auto prefetchFor = [&](const Rows &these, Value low,
                         Value high) -> std::optional<TilePrefetch> {
    // Tiles as low as this come alone: nothing follows in L2.
    bool isAlone =
        shape.row.extent.isSized() && these.height * 2 < plan.tileShape.rows;
    if (!prefetches || isAlone)
      return std::nullopt;
    Value next = index.at(rhs.base, high, frame.machine.panelColumns);
    Value pass = index.sub(these.number, rows.begin);
    next = index.at(next, pass, index.times(share, plan.blocks.depthBlock));
    // The tile counts its steps from `low`.
    next = index.sub(next, index.mul(low, share));
    return TilePrefetch{rhs.buffer, next, share};
  };

  if (!isBlocked()) {
    // Runs that are no single one are packed whole.
    if (plan.packs)
      packGroup(group, zero,
                shape.depth.size() == 1 ? depthEnd
                                        : valueOf(shape.depthCount()));
    emitRowTiles(rows, [&](const Rows &these) {
      RegisterTile tile = makeTile(these.height);
      auto prefetch = prefetchFor(these, zero, depthEnd);
      SmallVector<Value> sums =
          sumUp(tile, lhsOf(these), rhs, zero, depthEnd, tile.zeros(),
                prefetch ? &*prefetch : nullptr);
      storeTile(tile, sums, these);
    });
    return status;
  }

  // Sums rest in memory between the blocks of the depth.
  auto restingPlace = [&](const Rows &these) {
    return index.at(index.mul(index.sub(these.number, rows.begin),
                              plan.split.bigRows * plan.groupColumns()),
                    these.inTile, plan.groupColumns());
  };
  emitRowTiles(rows, [&](const Rows &these) {
    RegisterTile tile = makeTile(these.height);
    tile.store(tile.zeros(), partialSums, restingPlace(these));
  });
  index.loop(zero, depthEnd, plan.blocks.depthBlock, [&](Value low) {
    Value high = index.min(index.add(low, plan.blocks.depthBlock), depthEnd);
    if (plan.packs)
      packGroup(group, low, high);
    emitRowTiles(rows, [&](const Rows &these) {
      RegisterTile tile = makeTile(these.height);
      Value place = restingPlace(these);
      auto prefetch = prefetchFor(these, low, high);
      SmallVector<Value> sums =
          sumUp(tile, lhsOf(these), rhs, low, high,
                tile.load(partialSums, place), prefetch ? &*prefetch : nullptr);
      tile.store(sums, partialSums, place);
    });
  });
  emitRowTiles(rows, [&](const Rows &these) {
    RegisterTile tile = makeTile(these.height);
    storeTile(tile, tile.load(partialSums, restingPlace(these)), these);
  });
  return status;
}
