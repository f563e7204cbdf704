// kernel.contract as register tiles over panels of the right-hand side.
//
// A tile of the grid is a block of rows by a block of column groups (the
// columns of one register tile) of one batch element. Groups go outside, row
// tiles inside, so that a panel is read from memory once and from L2 then on.
//
// Where the launch says how far a dimension runs, tiles beyond are left out,
// and of a tile that is cut off the few rows before the limit are computed one
// by one, its columns whole. A row's sums are the same in a tile of any height.

#include "dialects/Kernel/Factors.h"
#include "passes/Kernel/Cpu/ContractionShape.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Cpu/PanelPacking.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/RootEmitters.h"
#include "passes/Kernel/Cpu/RowTiles.h"
#include "passes/Kernel/Cpu/TileChoice.h"
#include "passes/Kernel/Cpu/TileOutput.h"
#include "passes/Kernel/Cpu/Work.h"

using namespace mlir;

namespace heddle {
namespace {

class ContractionEmitter {
public:
  ContractionEmitter(KernelFrame &frame, OpResult root, ContractionShape given)
      : frame(frame), root(root), loc(root.getLoc()), shape(std::move(given)),
        index(frame.builder, loc),
        accumulator(cast<RankedTensorType>(root.getType()).getElementType()),
        lanes(accumulatorLanes(accumulator)) {}

  LogicalResult emit();

private:
  /// The columns of one register tile.
  struct Group {
    Value number;
    int64_t columns;
    int64_t vectors;
  };
  /// The rows of the grid's tile: row tiles [begin, end).
  struct RowRange {
    Value begin, end;
  };

  int64_t elementBytes(Value tensor) const {
    Type type = cast<RankedTensorType>(tensor.getType()).getElementType();
    return llvm::divideCeil(type.getIntOrFloatBitWidth(), 8);
  }
  int64_t groupColumns() const { return tileShape.vectors * lanes; }
  bool isBlocked() const { return blocks.depthBlock < shape.depthCount(); }

  void choose();
  void resolveLimits();
  LogicalResult emitGroup(const Group &group, RowRange rows);
  /// Emits `body` for `height` rows from `row` on, `inTile` after the first of
  /// the row tile `number`.
  void emitRowTiles(
      RowRange rows,
      function_ref<void(Value number, Value row, int64_t height, Value inTile)>
          body);
  using RowsBody = function_ref<void(Value row, int64_t height, Value inTile)>;
  void emitRowTile(Value inner, RowsBody body);
  TileRhs rhsOf(const Group &group);
  void packGroup(const Group &group, Value low, Value high);
  SmallVector<Value> sumUp(RegisterTile &tile, TileLhs lhs, TileRhs rhs,
                           Value low, Value high, ValueRange sums,
                           const TilePrefetch *prefetch);
  SmallVector<Value> sumUpOuter(RegisterTile &tile, TileLhs lhs, TileRhs rhs,
                                ArrayRef<ContractionDim> dims,
                                ArrayRef<Value> limits, ValueRange sums);
  /// How far a dimension of the depth runs.
  Value endOf(const ContractionDim &dim, Value limit) {
    return limit ? limit : index.constant(dim.extent);
  }
  /// lhs and coordinates of the row tile that starts at `row` of the outer row
  /// in `number`.
  TileLhs lhsOf(Value number, Value row, int64_t height);
  TilePlace placeOf(const Group &group, Value number, Value row);
  /// Where the row tile `number` is in the outer rows.
  SmallVector<Value> outerRowsAt(Value number);

  KernelFrame &frame;
  OpResult root;
  Location loc;
  ContractionShape shape;
  IndexBuilder index;
  Type accumulator;
  int64_t lanes;

  TileShape tileShape;
  RowSplit split;
  ContractionBlocks blocks;
  bool packs = false, isSmall = false;
  int64_t columnGroups = 1;

  /// Depth dimensions as tiles read them: of the packed copy if there is one.
  SmallVector<ContractionDim> depth;
  Value lhsBuffer, rhsBuffer, panel, partialSums;
  /// How far dimensions run in this launch, null where to their extent.
  SmallVector<Value> outerLimits, outerRowLimits, depthLimits;
  Value rowLimit, columnLimit;
  // Of the grid's current tile.
  Value lhsBase, rhsBase;
  SmallVector<Value> coords;
  std::optional<TileOutput> output;
};

} // namespace

void ContractionEmitter::choose() {
  int64_t rows = shape.row.extent, columns = shape.columnCount();
  tileShape = chooseTileShape(frame.machine, rows, columns, lanes);
  double outputs =
      double(shape.outerCount()) * shape.outerRowCount() * rows * columns;
  auto elementOf = [](Value tensor) {
    return cast<RankedTensorType>(tensor.getType()).getElementType();
  };
  Work work;
  work.operations = 2 * outputs * shape.depthCount();
  work.accumulator = accumulator;
  work.factor =
      kernel::narrowerFactor(elementOf(shape.lhs), elementOf(shape.rhs));
  expectWork(frame, contractionNanoseconds(frame.machine, work, outputs));
  isSmall = isSmallWork(frame.machine, work);
  if (isSmall)
    tileShape.rows = evenRows(rows, tileShape.rows);
  split = splitRows(rows, tileShape.rows);
  columnGroups = llvm::divideCeil(columns, groupColumns());
  int64_t rowTiles = shape.outerRowCount() * split.count();

  packs = !shape.isPacked &&
          (shape.columnStride() != 1 || elementOf(shape.rhs).isInteger(1) ||
           rows * shape.outerRowCount() >= frame.machine.rowsWorthPacking);

  ContractionExtents extents;
  extents.outer = shape.outerCount();
  extents.rows = rows * shape.outerRowCount();
  extents.columns = columns;
  extents.depth = shape.depthCount();
  extents.accumulator = accumulator;
  extents.factor = work.factor;
  extents.lhsBytes = elementBytes(shape.lhs);
  extents.rhsBytes = elementBytes(shape.rhs);
  extents.packsRhs = packs;
  blocks = chooseBlocks(frame.machine, extents, tileShape, rowTiles,
                        columnGroups, lanes);

  depth = shape.depth;
  if (packs) {
    int64_t stride = groupColumns();
    for (ContractionDim &dim : llvm::reverse(depth)) {
      dim.rhs = stride;
      stride *= dim.extent;
    }
    joinDims(depth);
  }
  if (depth.empty())
    depth.push_back({shape.depthCount(), 0, 0, std::nullopt});
  // Only a single run is cut in blocks.
  if (depth.size() > 1 || shape.depth.size() > 1)
    blocks.depthBlock = shape.depthCount();
}

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
  depthLimits = limitsOf(depth);
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
  choose();
  resolveLimits();
  if (packs)
    panel =
        frame.allocateScratch(accumulator, blocks.depthBlock * groupColumns());
  if (isBlocked())
    partialSums = frame.allocateScratch(
        accumulator, blocks.rowTiles * split.bigRows * groupColumns());

  int64_t rowTiles = shape.outerRowCount() * split.count();
  int64_t rowBlocks = llvm::divideCeil(rowTiles, blocks.rowTiles);
  int64_t columnBlocks = llvm::divideCeil(columnGroups, blocks.columnGroups);

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
  std::tie(rowBegin, rowEnd) = range(at[2], blocks.rowTiles, rowTiles);
  std::tie(groupBegin, groupEnd) =
      range(at[1], blocks.columnGroups, columnGroups);
  RowRange rows{rowBegin, rowEnd};
  if (columnLimit)
    groupEnd = index.min(
        groupEnd,
        index.div(index.add(columnLimit, groupColumns() - 1), groupColumns()));
  // Nothing is packed for rows that are all left out.
  Value isWanted = isBefore(index, outer, outerLimits);
  if (shape.outerRows.empty() && rowLimit)
    isWanted =
        both(index, isWanted,
             index.less(firstRowOfTile(index, split, rowBegin), rowLimit));
  if (shape.outerRows.size() == 1 && outerRowLimits.front())
    isWanted = both(
        index, isWanted,
        index.less(index.div(rowBegin, split.count()), outerRowLimits.front()));

  LogicalResult status = success();
  emitWhere(index, isWanted, [&] {
    // Whole groups, then the one that is cut off.
    int64_t wholeGroups = shape.columnCount() / groupColumns();
    int64_t tailColumns = shape.columnCount() % groupColumns();
    Value wholeEnd = tailColumns
                         ? index.min(groupEnd, index.constant(wholeGroups))
                         : groupEnd;
    if (wholeGroups)
      index.loop(groupBegin, wholeEnd, 1, [&](Value number) {
        if (failed(
                emitGroup({number, groupColumns(), tileShape.vectors}, rows)))
          status = failure();
      });
    if (tailColumns) {
      Value number = index.constant(wholeGroups);
      auto emitTail = [&] {
        int64_t vectors = llvm::divideCeil(tailColumns, lanes);
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
  frame.finish(shape.outerCount() * columnBlocks * rowBlocks, blocks.chunk);
  return success();
}

TileRhs ContractionEmitter::rhsOf(const Group &group) {
  TileRhs rhs;
  rhs.isUnsigned = shape.rhsUnsigned;
  Value first = index.mul(group.number, groupColumns());
  for (int64_t v = 0; v < group.vectors; ++v)
    rhs.vectors.push_back(v * lanes);
  if (packs) {
    rhs.buffer = panel;
    rhs.base = index.constant(0);
    rhs.isUnsigned = false;
    return rhs;
  }
  rhs.buffer = rhsBuffer;
  if (!shape.isPacked) {
    rhs.base = index.add(rhsBase, first);
    rhs.lastMask = tailMask(frame.builder, loc, lanes,
                            group.columns - (group.vectors - 1) * lanes);
    return rhs;
  }
  // A group is a part of a panel, or several whole ones.
  int64_t panelColumns = frame.machine.panelColumns;
  rhs.base = rhsBase;
  if (groupColumns() < panelColumns) {
    rhs.base =
        index.at(rhs.base, index.div(first, panelColumns), shape.panelStride);
    rhs.base = index.add(rhs.base, index.rem(first, panelColumns));
    return rhs;
  }
  rhs.base = index.at(rhs.base, group.number,
                      groupColumns() / panelColumns * shape.panelStride);
  for (auto [v, offset] : llvm::enumerate(rhs.vectors))
    offset =
        v * lanes / panelColumns * shape.panelStride + v * lanes % panelColumns;
  return rhs;
}

void ContractionEmitter::packGroup(const Group &group, Value low, Value high) {
  PanelSource source;
  source.source = rhsBuffer;
  source.base = index.at(rhsBase, index.mul(group.number, groupColumns()),
                         shape.columnStride());
  for (const ContractionDim &dim : shape.depth)
    source.depth.push_back({dim.extent, dim.rhs});
  source.columnStride = shape.columnStride();
  source.columns = group.columns;
  emitPanelCopy(index, source, low, high, panel, groupColumns(),
                shape.rhsUnsigned);
}

void ContractionEmitter::emitRowTile(Value inner, RowsBody body) {
  auto emitWhole = [&] {
    emitTileOfRows(index, split, inner, [&](Value row, int64_t height) {
      body(row, height, /*inTile=*/index.constant(0));
    });
  };
  if (!rowLimit)
    return emitWhole();
  Value first = firstRowOfTile(index, split, inner);
  int64_t few = rowsOneByOne(frame.machine, {split.bigRows, tileShape.vectors});
  index.branch(index.less(index.constant(few), index.sub(rowLimit, first)),
               emitWhole, [&] {
                 Value next = firstRowOfTile(index, split, index.add(inner, 1));
                 index.loop(
                     first, index.min(rowLimit, next), 1,
                     [&](Value row) { body(row, 1, index.sub(row, first)); });
               });
}

void ContractionEmitter::emitRowTiles(
    RowRange rows, function_ref<void(Value, Value, int64_t, Value)> body) {
  index.loop(rows.begin, rows.end, 1, [&](Value number) {
    Value inner = index.rem(number, split.count());
    if (shape.outerRowCount() == 1)
      inner = number;
    Value wanted;
    if (llvm::any_of(outerRowLimits, [](Value limit) { return bool(limit); }))
      wanted = isBefore(index, outerRowsAt(number), outerRowLimits);
    emitWhere(index, wanted, [&] {
      emitRowTile(inner, [&](Value row, int64_t height, Value inTile) {
        body(number, row, height, inTile);
      });
    });
  });
}

SmallVector<Value> ContractionEmitter::outerRowsAt(Value number) {
  SmallVector<int64_t> extents;
  for (const ContractionDim &dim : shape.outerRows)
    extents.push_back(dim.extent);
  return index.delinearize(index.div(number, split.count()), extents);
}

TileLhs ContractionEmitter::lhsOf(Value number, Value row, int64_t height) {
  TileLhs lhs;
  lhs.buffer = lhsBuffer;
  lhs.isUnsigned = shape.lhsUnsigned;
  lhs.base = index.at(lhsBase, row, shape.row.lhs);
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(number)))
    lhs.base = index.at(lhs.base, position, dim.lhs);
  for (int64_t r = 0; r < height; ++r)
    lhs.rows.push_back(r * shape.row.lhs);
  return lhs;
}

TilePlace ContractionEmitter::placeOf(const Group &group, Value number,
                                      Value row) {
  TilePlace place;
  place.coords = coords;
  for (auto [dim, position] :
       llvm::zip_equal(shape.outerRows, outerRowsAt(number)))
    place.coords[*dim.out] = position;
  if (shape.row.out) {
    place.coords[*shape.row.out] = row;
    place.rowDim = shape.row.out;
  }
  for (const ContractionDim &dim : shape.columns) {
    place.columnDims.push_back(*dim.out);
    place.columnExtents.push_back(dim.extent);
  }
  place.firstColumn = index.mul(group.number, groupColumns());
  place.columns = group.columns;
  return place;
}

SmallVector<Value> ContractionEmitter::sumUpOuter(RegisterTile &tile,
                                                  TileLhs lhs, TileRhs rhs,
                                                  ArrayRef<ContractionDim> dims,
                                                  ArrayRef<Value> limits,
                                                  ValueRange sums) {
  const ContractionDim &dim = dims.front();
  Value end = endOf(dim, limits.front());
  if (dims.size() == 1) {
    lhs.step = dim.lhs;
    rhs.step = dim.rhs;
    tile.mostSteps = dim.extent;
    return tile.accumulate(lhs, rhs, index.constant(0), end, sums);
  }
  return index.loop(
      index.constant(0), end, 1, sums, [&](Value position, ValueRange carried) {
        TileLhs innerLhs = lhs;
        TileRhs innerRhs = rhs;
        innerLhs.base = index.at(lhs.base, position, dim.lhs);
        innerRhs.base = index.at(rhs.base, position, dim.rhs);
        return sumUpOuter(tile, innerLhs, innerRhs, dims.drop_front(),
                          limits.drop_front(), carried);
      });
}

SmallVector<Value> ContractionEmitter::sumUp(RegisterTile &tile, TileLhs lhs,
                                             TileRhs rhs, Value low, Value high,
                                             ValueRange sums,
                                             const TilePrefetch *prefetch) {
  if (depth.size() > 1)
    return sumUpOuter(tile, lhs, rhs, depth, depthLimits, sums);
  if (!isBlocked())
    tile.mostSteps = depth.front().extent;
  lhs.step = depth.front().lhs;
  rhs.step = depth.front().rhs;
  // The copy holds the current block only.
  if (packs)
    rhs.base = index.sub(rhs.base, index.mul(low, rhs.step));
  return tile.accumulate(lhs, rhs, low, high, sums, prefetch);
}

LogicalResult ContractionEmitter::emitGroup(const Group &group, RowRange rows) {
  LogicalResult status = success();
  TileRhs rhs = rhsOf(group);
  Value zero = index.constant(0);
  // Several dimensions of a sum end each by itself.
  Value depthEnd = depth.size() == 1 ? endOf(depth.front(), depthLimits.front())
                                     : index.constant(shape.depthCount());
  auto makeTile = [&](int64_t height) {
    RegisterTile tile(frame.builder, loc, accumulator, height, group.vectors);
    if (isSmall)
      tile.stepsPerIteration = 1;
    return tile;
  };
  auto storeTile = [&](RegisterTile &tile, ValueRange sums, Value number,
                       Value row) {
    if (failed(output->store(tile, sums, placeOf(group, number, row))))
      status = failure();
  };

  // Each pass over a block of a panel fetches its share of what follows in
  // memory: the next block, or the next panel.
  int64_t share = llvm::divideCeil(groupColumns(), blocks.rowTiles);
  bool prefetches = blocks.prefetch && shape.isPacked && depth.size() == 1 &&
                    groupColumns() == frame.machine.panelColumns;
  auto prefetchFor = [&](Value number, Value low,
                         Value high) -> std::optional<TilePrefetch> {
    if (!prefetches)
      return std::nullopt;
    Value next = index.at(rhs.base, high, frame.machine.panelColumns);
    Value pass = index.sub(number, rows.begin);
    next = index.at(next, pass, share * blocks.depthBlock);
    // The tile counts its steps from `low`.
    return TilePrefetch{rhs.buffer, index.at(next, low, -share), share};
  };

  if (!isBlocked()) {
    // Runs that are no single one are packed whole.
    if (packs)
      packGroup(group, zero,
                shape.depth.size() == 1 ? depthEnd
                                        : index.constant(shape.depthCount()));
    emitRowTiles(rows, [&](Value number, Value row, int64_t height, Value) {
      RegisterTile tile = makeTile(height);
      auto prefetch = prefetchFor(number, zero, depthEnd);
      SmallVector<Value> sums =
          sumUp(tile, lhsOf(number, row, height), rhs, zero, depthEnd,
                tile.zeros(), prefetch ? &*prefetch : nullptr);
      storeTile(tile, sums, number, row);
    });
    return status;
  }

  // Sums rest in memory between the blocks of the depth.
  auto restingPlace = [&](Value number, Value inTile) {
    return index.at(index.mul(index.sub(number, rows.begin),
                              split.bigRows * groupColumns()),
                    inTile, groupColumns());
  };
  emitRowTiles(rows, [&](Value number, Value, int64_t height, Value inTile) {
    RegisterTile tile = makeTile(height);
    tile.store(tile.zeros(), partialSums, restingPlace(number, inTile));
  });
  index.loop(zero, depthEnd, blocks.depthBlock, [&](Value low) {
    Value high = index.min(index.add(low, blocks.depthBlock), depthEnd);
    if (packs)
      packGroup(group, low, high);
    emitRowTiles(rows, [&](Value number, Value row, int64_t height,
                           Value inTile) {
      RegisterTile tile = makeTile(height);
      Value place = restingPlace(number, inTile);
      auto prefetch = prefetchFor(number, low, high);
      SmallVector<Value> sums =
          sumUp(tile, lhsOf(number, row, height), rhs, low, high,
                tile.load(partialSums, place), prefetch ? &*prefetch : nullptr);
      tile.store(sums, partialSums, place);
    });
  });
  emitRowTiles(
      rows, [&](Value number, Value row, int64_t height, Value inTile) {
        RegisterTile tile = makeTile(height);
        storeTile(tile, tile.load(partialSums, restingPlace(number, inTile)),
                  number, row);
      });
  return status;
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
