// kernel.attention by blocks of rows: the scores of a block against all keys
// stay in the worker's scratch memory, where they become probabilities and
// meet the values. Nothing of size m x n is ever in memory whole.
//
// A tile of the grid is one block of rows of one batch element. Keys are copied
// into panels (transposed on the way if need be), so that both products are
// register tiles.

#include "passes/Kernel/Cpu/AttentionEmitter.h"

#include "dialects/Kernel/TrueLoops.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Cpu/PanelPacking.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/RootEmitters.h"
#include "passes/Kernel/Cpu/TileChoice.h"
#include "passes/Kernel/Cpu/Work.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

LogicalResult AttentionEmitter::readExtents() {
  SmallVector<WalkedTensor> walked = {
      {op.getOutMap(), cast<RankedTensorType>(op.getResult().getType())}};
  auto walk = [&](Value tensor, AffineMap map) {
    if (tensor)
      walked.emplace_back(map, tensor);
  };
  walk(op.getQuery(), op.getQueryMap());
  walk(op.getKey(), op.getKeyMap());
  walk(op.getValue(), op.getValueMap());
  walk(op.getMask(), op.getMaskMap());
  walk(op.getLengths(), op.getLengthsMap());
  walk(op.getSink(), op.getSinkMap());
  if (auto keys = kernel::walkedKeys(op))
    walked.push_back({keys->first, keys->second});
  FailureOr<SmallVector<Extent>> extents =
      loopExtents(op, op.getExtents(), walked);
  if (failed(extents))
    return failure();
  auto isSized = [](const Extent &extent) { return extent.isSized(); };
  if (llvm::any_of(*extents, isSized) && !op.getLimits().empty())
    return op.emitOpError("has both limits and true extents");
  numBatch = op.getNumBatchDims();
  batchExtents.assign(extents->begin(), extents->begin() + numBatch);
  m = (*extents)[numBatch];
  n = (*extents)[numBatch + 1];
  if ((*extents)[numBatch + 2].isSized() || (*extents)[numBatch + 3].isSized())
    return op.emitOpError("has heads of a depth that calls choose");
  d = (*extents)[numBatch + 2].bound();
  e = (*extents)[numBatch + 3].bound();
  return success();
}

LogicalResult AttentionEmitter::bindOperands() {
  auto bind = [&](Operand &operand, Value tensor, AffineMap map) {
    operand.buffer = frame.buffer(tensor);
    operand.access = TrueAccess(map, cast<RankedTensorType>(tensor.getType()));
    return success(bool(operand.buffer));
  };
  if (failed(bind(query, op.getQuery(), op.getQueryMap())) ||
      failed(bind(key, op.getKey(), op.getKeyMap())) ||
      failed(bind(value, op.getValue(), op.getValueMap())) ||
      (op.getMask() && failed(bind(mask, op.getMask(), op.getMaskMap()))) ||
      (op.getLengths() &&
       failed(bind(lengths, op.getLengths(), op.getLengthsMap()))) ||
      (op.getSink() && failed(bind(sink, op.getSink(), op.getSinkMap()))))
    return op.emitOpError("has an operand that is not in memory");
  return success();
}

void AttentionEmitter::choose() {
  int64_t m = this->m.bound(), n = this->n.bound();
  TileShape shape = chooseTileShape(frame.machine, m, n, lanes);
  vectors =
      std::min<int64_t>(shape.vectors, frame.machine.panelColumns / lanes);
  split = splitRows(m, shape.rows);
  rowTiles = split.count();
  if (this->m.isSized()) {
    split.bigRows = std::min(shape.rows, frame.machine.mostSizedTileRows);
    sizedRows = SizedRows(frame, this->m, split.bigRows);
    rowTiles = sizedRows.tiles;
  }
  int64_t width = vectors * lanes;
  // A step of a cache line more, so that the rows of a tile do not fall on the
  // same lines of L1.
  Extent keys = this->n.isSized() ? this->n : Extent(std::max<int64_t>(n, 1));
  Extent stride = keys.alignTo(width) + lanes;

  const Machine &machine = frame.machine;
  // Keys lie in panels of what is summed in, so factors are as their sums.
  int64_t blockFlops =
      machine.rates.longestPieceUs * machine.flopsPerUs(element);
  int64_t byWork = blockFlops / std::max<int64_t>(1, 2 * n * (d + e));
  int64_t byCache = machine.l2Bytes / 2 / (stride.bound() * elementBytes);
  int64_t rows = std::max(byWork, machine.rowsWorthKeys);
  rows = std::max<int64_t>(std::min(rows, byCache), 2 * split.bigRows);
  int64_t count = rowTiles.bound();
  blockTiles =
      evenParts(count, std::clamp<int64_t>(rows / split.bigRows, 1, count));

  // Of blocks that a call's rows do not fill only those rows.
  Extent blockRows = rowTiles.atMost(blockTiles) * split.bigRows;
  packsValues = !value.access.strides[numBatch + 3].is(1) ||
                blockRows.bound() >= machine.rowsWorthStreaming;
  scores = frame.allocateScratch(element, blockRows * stride);
  inverses = frame.allocateScratch(element, blockRows);
  keyPanel = frame.allocateScratch(element, std::max<int64_t>(d, 1) * width);
  if (packsValues)
    valuePanel = frame.allocateScratch(element, keys * width);
  scoreStride = frame.numberOf(stride);
}

LogicalResult AttentionEmitter::emit() {
  if (!element.isF32())
    return op.emitOpError("computes in f32, not ") << element;
  if (failed(readExtents()))
    return failure();
  elementBytes = element.getIntOrFloatBitWidth() / 8;
  if (failed(checkLimits(frame, op, op.getLimits())))
    return failure();
  auto created =
      TileOutput::create(frame, op.getResult(), frame.machine.mostTileElements);
  if (failed(created) || failed(bindOperands()))
    return failure();
  output.emplace(std::move(*created));
  if (op.getLogSumExp())
    logarithms = frame.buffer(op.getLogSumExp());
  Extent batchCount = productOf(batchExtents);
  if (batchCount.is(0) || m.is(0) || (e == 0 && !logarithms)) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  choose();

  Extent blockCount = rowTiles.ceilDiv(blockTiles);
  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      indicesAt(frame, index, tile, {batchCount, blockCount});
  batch = indicesAt(frame, index, at[0], batchExtents);
  for (Operand *operand : {&query, &key, &value, &mask, &lengths, &sink}) {
    if (!operand->buffer)
      continue;
    operand->base = valueOf(operand->access.offset);
    for (auto [position, stride] : llvm::zip(batch, operand->access.strides))
      operand->base = index.at(operand->base, position, frame.numberOf(stride));
  }
  tileBegin = index.mul(at[1], blockTiles);
  tileEnd = index.add(tileBegin, blockTiles);
  if (!rowTiles.isMultipleOf(blockTiles))
    tileEnd = index.min(tileEnd, valueOf(rowTiles));

  LogicalResult status = success();
  Value isWanted = applyLimits();
  emitWhere(index, isWanted, [&] { status = emitTile(); });
  if (failed(status))
    return failure();

  Extent tiles = batchCount * blockCount;
  Work piece;
  piece.operations = 2.0 * blockTiles * split.bigRows * n.bound() * (d + e);
  piece.bytes = double(elementBytes) * n.bound() * (d + e);
  piece.accumulator = element;
  int64_t chunk = chooseChunk(frame.machine, piece, tiles.bound());
  Work all = piece;
  all.operations *= tiles.bound();
  // What is exponentiated counts as an output.
  expectWork(frame,
             contractionNanoseconds(frame.machine, all,
                                    double(batchCount.bound()) * m.bound() *
                                        (double(n.bound()) + e)));
  frame.finish(tiles, chunk);
  return success();
}

Value AttentionEmitter::applyLimits() {
  SmallVector<Value> limits;
  for (unsigned dim = 0; dim < numBatch; ++dim)
    limits.push_back(
        resolveLimit(frame, index, op.getLimit(dim), op.getExtents()[dim]));
  Value isWanted = isBefore(index, batch, limits);
  if (Value rows =
          resolveLimit(frame, index, op.getLimit(numBatch), m.bound())) {
    tileEnd = index.min(tileEnd, tilesBefore(index, split, rows));
    isWanted = both(index, isWanted, index.less(tileBegin, tileEnd));
  }
  return isWanted;
}

/// One block of rows of one batch element.
LogicalResult AttentionEmitter::emitTile() {
  readLength();
  // Later rows see later keys, so the first and the last one bound the block.
  Value keys = keysOf(firstRowOf(tileEnd));
  blockFirstKey = firstKeyOf(firstRowOf(tileBegin));
  emitScores(keys);
  emitSoftmax();
  return emitOutput(keys);
}

Value AttentionEmitter::firstRowOf(Value number) {
  if (!m.isSized())
    return firstRowOfTile(index, split, number);
  return sizedRows.firstRowOf(index, frame, number);
}

/// How many keys the grid's current batch element has.
void AttentionEmitter::readLength() {
  length = valueOf(n);
  if (!op.getLengths())
    return;
  LaneBuilder reader(frame.builder, loc, /*lanes=*/0);
  Type type =
      cast<RankedTensorType>(op.getLengths().getType()).getElementType();
  Value given =
      reader.load(lengths.buffer, type, LaneValue(lengths.base)).value;
  given = arith::IndexCastOp::create(frame.builder, loc,
                                     frame.builder.getIndexType(), given);
  length = index.min(index.max(given, index.constant(0)), length);
}

/// Where a query stands among the keys.
Value AttentionEmitter::position(Value row) {
  if (op.getLengths()) {
    Value end = index.add(row, length);
    return m.isSized() ? index.sub(end, valueOf(m))
                       : index.add(end, -m.bound());
  }
  if (m == n)
    return row;
  if (!m.isSized() && !n.isSized())
    return index.add(row, n.bound() - m.bound());
  return index.sub(index.add(row, valueOf(n)), valueOf(m));
}

/// Past the last key that rows before `rowEnd` see.
Value AttentionEmitter::keysOf(Value rowEnd) {
  if (!op.getCausal())
    return length;
  Value keys = position(rowEnd);
  bool mayBeNone = m.isSized() || n.isSized() ? m != n : m.bound() > n.bound();
  if (mayBeNone || op.getLengths())
    keys = index.max(keys, index.constant(0));
  return keys;
}

/// The first key of the first panel that `row` and those after it see.
Value AttentionEmitter::firstKeyOf(Value row) {
  if (!op.getWindow())
    return index.constant(0);
  int64_t window = *op.getWindow(), width = vectors * lanes;
  int64_t most = std::min(window, n.bound() + m.bound());
  Value first =
      index.max(index.add(position(row), 1 - most), index.constant(0));
  return index.mul(index.div(first, width), width);
}

Value AttentionEmitter::padded(Value keys) {
  int64_t width = vectors * lanes;
  return index.mul(index.div(index.add(keys, width - 1), width), width);
}

AttentionEmitter::Rows AttentionEmitter::rowsAt(Value slot, Value first,
                                                Value end) {
  Rows rows;
  rows.first = first;
  rows.scores = index.mul(slot, scoreStride);
  rows.inverses = slot;
  rows.firstKey = firstKeyOf(first);
  rows.keys = keysOf(end);
  rows.paddedKeys = padded(rows.keys);
  return rows;
}

void AttentionEmitter::forEachTile(
    function_ref<void(const Rows &)> body,
    function_ref<void(const Rows &, Value count)> finish) {
  index.loop(tileBegin, tileEnd, 1, [&](Value number) {
    Value slot = index.mul(index.sub(number, tileBegin), split.bigRows);
    auto emitRows = [&](const SizedTile &tile) {
      Value end = tile.count ? index.add(tile.first, tile.count)
                             : index.add(tile.first, tile.height);
      Rows rows = rowsAt(slot, tile.first, end);
      rows.height = tile.height;
      rows.count = tile.count;
      body(rows);
    };
    if (!m.isSized())
      return emitTileOfRows(
          index, split, number,
          [&](Value first, int64_t height) { emitRows({first, height, {}}); });
    sizedRows.emitTile(index, frame, number, emitRows);
    if (!finish || !meetsInMemory())
      return;
    auto [first, count] = sizedRows.rowsOf(index, frame, number);
    finish(rowsAt(slot, first, index.add(first, count)), count);
  });
}

void AttentionEmitter::forEachRow(
    function_ref<void(const Rows &, Value)> body) {
  if (!m.isSized())
    return forEachTile([&](const Rows &rows) {
      index.loop(0, rows.height, 1, [&](Value r) { body(rows, r); });
    });
  index.loop(tileBegin, tileEnd, 1, [&](Value number) {
    Value slot = index.mul(index.sub(number, tileBegin), split.bigRows);
    auto [first, count] = sizedRows.rowsOf(index, frame, number);
    Rows rows = rowsAt(slot, first, index.add(first, count));
    index.loop(index.constant(0), count, 1, [&](Value r) { body(rows, r); });
  });
}

Value AttentionEmitter::constant(double value) {
  return arith::ConstantOp::create(
      frame.builder, loc,
      DenseElementsAttr::get(vectorType,
                             FloatAttr::get(element, value).getValue()));
}

LogicalResult AttentionEmitter::emitOutput(Value keys) {
  int64_t width = vectors * lanes;
  int64_t whole = e / width * width, tail = e - whole;
  LogicalResult status = success();
  if (whole)
    index.loop(0, whole, width, [&](Value first) {
      if (failed(emitOutputGroup(first, width, keys)))
        status = failure();
    });
  if (tail && failed(emitOutputGroup(index.constant(whole), tail, keys)))
    return failure();
  return status;
}

LogicalResult AttentionEmitter::emitOutputGroup(Value firstColumn,
                                                int64_t columns, Value keys) {
  OpBuilder &builder = frame.builder;
  int64_t used = llvm::divideCeil(columns, lanes);
  Number keyStride = frame.numberOf(value.access.strides[numBatch + 1]);
  Number columnStride = frame.numberOf(value.access.strides[numBatch + 3]);
  TileRhs rhs;
  for (int64_t v = 0; v < used; ++v)
    rhs.vectors.push_back(v * lanes);
  Value corner = index.at(value.base, firstColumn, columnStride);
  if (packsValues) {
    PanelSource source;
    source.source = value.buffer;
    source.base = corner;
    source.depth.push_back({frame.numberOf(n), keyStride});
    source.columnStride = columnStride;
    source.columns = columns;
    emitPanelCopy(index, source, blockFirstKey, keys, valuePanel,
                  vectors * lanes,
                  /*isUnsigned=*/false);
    rhs.buffer = valuePanel;
    rhs.base = index.mul(blockFirstKey, -vectors * lanes);
    rhs.step = vectors * lanes;
  } else {
    rhs.buffer = value.buffer;
    rhs.base = corner;
    rhs.step = keyStride;
    rhs.maskLast(tailMask(builder, loc, lanes, columns - (used - 1) * lanes));
  }

  LogicalResult status = success();
  auto sumsOf = [&](RegisterTile &tile, const Rows &rows) {
    TileLhs lhs;
    lhs.buffer = scores;
    lhs.base = rows.scores;
    lhs.setRows(index, rows.height, scoreStride, rows.count);
    SmallVector<Value> sums =
        tile.accumulate(lhs, rhs, rows.firstKey, rows.keys, tile.zeros());
    for (int64_t r = 0; r < rows.height; ++r) {
      Value inverse = vector::BroadcastOp::create(
          builder, loc, vectorType,
          memref::LoadOp::create(builder, loc, inverses,
                                 index.add(rows.inverses, r)));
      for (int64_t v = 0; v < used; ++v) {
        Value &sum = sums[r * used + v];
        sum = arith::MulFOp::create(builder, loc, sum, inverse);
      }
    }
    return sums;
  };
  auto placeOf = [&](const Rows &rows) {
    TilePlace place;
    for (auto [position, expr] : llvm::enumerate(op.getOutMap().getResults())) {
      unsigned dim = cast<AffineDimExpr>(expr).getPosition();
      place.coords.push_back(dim < numBatch ? batch[dim] : rows.first);
      if (dim == numBatch)
        place.rowDim = position;
      if (dim == numBatch + 3)
        place.columnDims.push_back(position);
    }
    place.columnExtents.push_back(e);
    place.firstColumn = firstColumn;
    place.columns = columns;
    return place;
  };
  forEachTile(
      [&](const Rows &rows) {
        RegisterTile tile(builder, loc, element, rows.height, used);
        SmallVector<Value> sums = sumsOf(tile, rows);
        if (meetsInMemory())
          output->keep(tile, sums);
        else if (failed(output->store(tile, sums, placeOf(rows))))
          status = failure();
      },
      [&](const Rows &rows, Value count) {
        RegisterTile tile(builder, loc, element, /*rows=*/1, used);
        if (failed(output->store(tile, output->kept(count), placeOf(rows))))
          status = failure();
      });
  return status;
}

LogicalResult emitAttention(KernelFrame &frame, kernel::AttentionOp op) {
  return AttentionEmitter(frame, op).emit();
}

} // namespace heddle
