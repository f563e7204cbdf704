// The columns of one register tile, for all rows of the grid's tile: at once,
// or block after block of the depth.

#include "passes/Kernel/Cpu/ContractionEmitter.h"

#include "passes/Kernel/Cpu/Limits.h"
#include <numeric>

using namespace mlir;
using namespace heddle;

void ContractionEmitter::emitHeights(Value number, Value inner, RowsBody body) {
  Value zero = index.constant(0);
  auto emitRows = [&](Value row, int64_t height) {
    body({number, row, height, /*inTile=*/zero, {}});
  };
  if (shape.row.extent.isSized())
    return plan.sizedRows.emitTile(
        index, frame, inner, [&](const SizedTile &tile) {
          body({number, tile.first, tile.height, zero, tile.count});
        });
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
          body({number, row, 1, index.sub(row, first), {}});
        });
      });
}

ContractionEmitter::Rows ContractionEmitter::rowsOf(Value number, Value inner) {
  auto [first, count] = plan.sizedRows.rowsOf(index, frame, inner);
  return {number, first, plan.split.bigRows, /*inTile=*/index.constant(0),
          count};
}

void ContractionEmitter::emitRowTiles(
    RowRange rows, function_ref<void(Value number, Value inner)> body) {
  index.loop(rows.begin, rows.end, 1, [&](Value number) {
    Value inner = number;
    if (!shape.outerRowCount().is(1))
      inner = index.rem(number, frame.numberOf(plan.rowTiles));
    Value wanted;
    if (llvm::any_of(outerRowLimits, [](Value limit) { return bool(limit); }))
      wanted = isBefore(index, outerRowsAt(number), outerRowLimits);
    emitWhere(index, wanted, [&] { body(number, inner); });
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
  const Extent &depth = plan.depth.front().extent;
  if (!isBlocked())
    tile.mostSteps = depth.bound();
  if (!depthLimits.front())
    tile.stepsMultiple =
        std::gcd(frame.divisor(depth),
                 isBlocked() ? plan.blocks.depthBlock : int64_t(0));
  if (plan.widens) {
    // Each term is a step of its own.
    if (tile.mostSteps)
      *tile.mostSteps *= shape.perStep;
    tile.stepsMultiple *= shape.perStep;
    rhs.base = index.at(rhs.base, low, -rhs.step.number * shape.perStep);
    return tile.accumulate(lhs, rhs, index.mul(low, shape.perStep),
                           index.mul(high, shape.perStep), sums);
  }
  lhs.step = frame.numberOf(plan.depth.front().lhs);
  rhs.step = frame.numberOf(plan.depth.front().rhs);
  // The copy holds the current block only.
  if (plan.packs)
    rhs.base = index.sub(rhs.base, index.mul(low, rhs.step));
  return tile.accumulate(lhs, rhs, low, high, sums, prefetch);
}

/// Each pass over a block of a panel fetches its share of what follows in
/// memory: the next block, or the next panel.
std::optional<Number> ContractionEmitter::shareOfPass(RowRange rows) {
  if (!plan.blocks.prefetch || !shape.isPacked || plan.depth.size() != 1 ||
      plan.groupColumns() != frame.machine.panelColumns)
    return std::nullopt;
  int64_t columns = plan.groupColumns() * shape.rhsPerStep();
  if (!shape.row.extent.isSized())
    return Number(llvm::divideCeil(columns, plan.blocks.rowTiles));
  Value passes = index.sub(rows.end, rows.begin);
  return Number(index.div(index.add(passes, columns - 1), passes));
}

Value ContractionEmitter::endOfDepth() {
  // Several dimensions of a sum end each by itself.
  return plan.depth.size() == 1 ? endOf(plan.depth.front(), depthLimits.front())
                                : valueOf(shape.depthCount());
}

RegisterTile ContractionEmitter::tileOf(const Group &group, int64_t height) {
  RegisterTile tile(frame.builder, loc, accumulator, height, group.vectors);
  if (plan.isSmall)
    tile.stepsPerIteration = 1;
  if (plan.widens)
    tile.chainSteps *= shape.perStep;
  else if (shape.scaled)
    tile.words = std::make_shared<WordWidening>(frame.machine, *shape.scaled);
  else
    tile.products = StepProducts::of(frame.machine, shape.perStep, accumulator);
  return tile;
}

std::optional<TilePrefetch>
ContractionEmitter::prefetchOf(const TileRhs &rhs, const Rows &these,
                               RowRange rows, Value low, Value high) {
  // Tiles as low as this come alone: nothing follows in L2.
  bool isAlone =
      shape.row.extent.isSized() && these.height * 2 < plan.tileShape.rows;
  if (!rows.share || isAlone)
    return std::nullopt;
  Number share = *rows.share;
  Value next =
      index.at(rhs.base, high, frame.machine.panelColumns * shape.rhsPerStep());
  Value pass = index.sub(these.number, rows.begin);
  next = index.at(next, pass, index.times(share, plan.blocks.depthBlock));
  // The tile counts its steps from `low`.
  next = index.sub(next, index.mul(low, share));
  return TilePrefetch{rhs.buffer, next, share};
}

LogicalResult ContractionEmitter::emitGroup(const Group &group, RowRange rows) {
  if (plan.fillsMatrices)
    return emitInMatrices(group.number, index.add(group.number, 1), group,
                          rows);
  rows.share = shareOfPass(rows);
  return isBlocked() ? emitInBlocks(group, rows) : emitAtOnce(group, rows);
}

LogicalResult ContractionEmitter::emitAtOnce(const Group &group,
                                             RowRange rows) {
  LogicalResult status = success();
  TileRhs rhs = rhsOf(group);
  Value low = index.constant(0), high = endOfDepth();
  // Runs that are no single one are packed whole.
  prepareGroup(group, low,
               shape.depth.size() == 1 ? high : valueOf(shape.depthCount()));
  prepareRest(group);
  auto sumsOf = [&](RegisterTile &tile, const Rows &these) {
    auto prefetch = prefetchOf(rhs, these, rows, low, high);
    return sumUp(tile, lhsOf(these), rhs, low, high, startOf(tile, these, rhs),
                 prefetch ? &*prefetch : nullptr);
  };
  emitRowTiles(rows, [&](Value number, Value inner) {
    emitHeights(number, inner, [&](const Rows &these) {
      RegisterTile tile = tileOf(group, these.height);
      SmallVector<Value> sums = sumsOf(tile, these);
      if (plan.meetsInMemory())
        output->keep(tile, sums);
      else if (failed(output->store(tile, sums, placeOf(group, these))))
        status = failure();
    });
    if (!plan.meetsInMemory())
      return;
    Rows these = rowsOf(number, inner);
    if (failed(output->store(tileOf(group, these.height),
                             output->kept(these.count), placeOf(group, these))))
      status = failure();
  });
  return status;
}

Value ContractionEmitter::restingPlace(const Rows &these, RowRange rows) {
  return index.at(index.mul(index.sub(these.number, rows.begin),
                            plan.split.bigRows * plan.groupColumns()),
                  these.inTile, plan.groupColumns());
}

LogicalResult ContractionEmitter::emitInBlocks(const Group &group,
                                               RowRange rows) {
  LogicalResult status = success();
  TileRhs rhs = rhsOf(group);
  bool meets = plan.meetsInMemory();
  Value zero = index.constant(0), depthEnd = endOfDepth();
  prepareRest(group);
  emitRowTiles(rows, [&](Value number, Value inner) {
    auto begin = [&](const Rows &these) {
      RegisterTile tile = tileOf(group, these.height);
      tile.store(startOf(tile, these, rhs), partialSums,
                 restingPlace(these, rows));
    };
    // Rows beyond a low tile do not matter.
    if (meets && shape.rest.is(0))
      begin({number, zero, plan.split.bigRows, zero, {}});
    else
      emitHeights(number, inner, begin);
  });
  index.loop(zero, depthEnd, plan.blocks.depthBlock, [&](Value low) {
    Value high = index.min(index.add(low, plan.blocks.depthBlock), depthEnd);
    prepareGroup(group, low, high);
    emitRowTiles(rows, [&](Value number, Value inner) {
      emitHeights(number, inner, [&](const Rows &these) {
        RegisterTile tile = tileOf(group, these.height);
        Value place = restingPlace(these, rows);
        auto prefetch = prefetchOf(rhs, these, rows, low, high);
        SmallVector<Value> sums = sumUp(tile, lhsOf(these), rhs, low, high,
                                        tile.load(partialSums, place),
                                        prefetch ? &*prefetch : nullptr);
        tile.store(sums, partialSums, place);
      });
    });
  });
  emitRowTiles(rows, [&](Value number, Value inner) {
    auto finish = [&](const Rows &these) {
      RegisterTile tile = tileOf(group, these.height);
      Value place = restingPlace(these, rows);
      if (failed(meets ? output->store(
                             tile, RestingTile{partialSums, place, these.count},
                             placeOf(group, these))
                       : output->store(tile, tile.load(partialSums, place),
                                       placeOf(group, these))))
        status = failure();
    };
    if (meets)
      finish(rowsOf(number, inner));
    else
      emitHeights(number, inner, finish);
  });
  return status;
}
