// kernel.attention by blocks of rows: the scores of a block against all keys
// stay in the worker's scratch memory, where they become probabilities and
// meet the values. Nothing of size m x n is ever in memory whole.
//
// A tile of the grid is one block of rows of one batch element. Keys are copied
// into panels (transposed on the way if need be), so that both products are
// register tiles.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
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

class AttentionEmitter {
public:
  AttentionEmitter(KernelFrame &frame, kernel::AttentionOp op)
      : frame(frame), op(op), loc(op.getLoc()), index(frame.builder, loc),
        element(
            cast<RankedTensorType>(op.getResult().getType()).getElementType()),
        lanes(accumulatorLanes(element)),
        vectorType(VectorType::get({lanes}, element)) {}

  LogicalResult emit();

private:
  /// An operand: its buffer, and its strides over the iteration dimensions.
  struct Operand {
    Value buffer;
    kernel::LinearAccess access;
    /// The position of the grid's current batch element.
    Value base;
  };
  /// A register tile of rows: their number in the block gives their place in
  /// scratch memory.
  struct Rows {
    Value first;
    int64_t height;
    Value scores;
    Value inverses;
    /// The first of the keys that the rows see, at the start of a panel, and
    /// past the last one, also in whole panels.
    Value firstKey, keys, paddedKeys;
  };

  LogicalResult bindOperands();
  void choose();
  void forEachTile(function_ref<void(const Rows &)> body);
  /// Whether the keys that a row sees are known only when the kernel runs.
  bool boundsKeys() { return op.getCausal() || op.getLengths(); }
  void readLength();
  Value position(Value row);
  Value keysOf(Value rowEnd);
  Value firstKeyOf(Value row);
  Value padded(Value keys);
  Value laneCompare(arith::CmpIPredicate predicate, Value bound);

  void emitScores(Value keys);
  void emitScorePanel(Value firstKey, int64_t count);
  Value finishScore(Value sum, Value row, Value firstKey, int64_t count);
  void emitSoftmax();
  Value sinkVector();
  void storeLogarithm(Value row, Value largest, Value total);
  LogicalResult emitOutput(Value keys);
  LogicalResult emitOutputGroup(Value firstColumn, int64_t columns, Value keys);
  Value combineLanes(Value vector, function_ref<Value(Value, Value)> combine);
  Value constant(double value);

  KernelFrame &frame;
  kernel::AttentionOp op;
  Location loc;
  IndexBuilder index;
  Type element;
  int64_t lanes, elementBytes = 0;
  VectorType vectorType;

  unsigned numBatch = 0;
  /// Extents: rows, keys, and the depths of the two products.
  int64_t m = 0, n = 0, d = 0, e = 0;
  Operand query, key, value, mask, lengths, sink;
  Value logarithms;
  std::optional<TileOutput> output;

  int64_t vectors = 1;
  RowSplit split;
  int64_t blockTiles = 1;
  int64_t scoreStride = 0;
  bool packsValues = true;
  Value scores, inverses, keyPanel, valuePanel;

  // Of the grid's current tile.
  Value tileBegin, tileEnd;
  SmallVector<Value> batch;
  /// How many keys there are, and the first that one of the rows sees, at the
  /// start of a panel.
  Value length, blockFirstKey;
};

} // namespace

LogicalResult AttentionEmitter::bindOperands() {
  auto bind = [&](Operand &operand, Value tensor, AffineMap map) {
    operand.buffer = frame.buffer(tensor);
    operand.access =
        *kernel::linearAccess(map, cast<RankedTensorType>(tensor.getType()));
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
  TileShape shape = chooseTileShape(frame.machine, m, n, lanes);
  vectors =
      std::min<int64_t>(shape.vectors, frame.machine.panelColumns / lanes);
  split = splitRows(m, shape.rows);
  int64_t width = vectors * lanes;
  // A step of a cache line more, so that the rows of a tile do not fall on the
  // same lines of L1.
  scoreStride = llvm::alignTo(std::max<int64_t>(n, 1), width) + lanes;

  const Machine &machine = frame.machine;
  // Keys lie in panels of what is summed in, so factors are as their sums.
  int64_t blockFlops =
      machine.rates.longestPieceUs * machine.flopsPerUs(element);
  int64_t byWork = blockFlops / std::max<int64_t>(1, 2 * n * (d + e));
  int64_t byCache = machine.l2Bytes / 2 / (scoreStride * elementBytes);
  int64_t rows = std::max(byWork, machine.rowsWorthKeys);
  rows = std::max<int64_t>(std::min(rows, byCache), 2 * split.bigRows);
  blockTiles = std::clamp<int64_t>(rows / split.bigRows, 1, split.count());
  blockTiles = llvm::divideCeil(split.count(),
                                llvm::divideCeil(split.count(), blockTiles));

  int64_t blockRows = blockTiles * split.bigRows;
  packsValues = value.access.strides[numBatch + 3] != 1 ||
                blockRows >= machine.rowsWorthStreaming;
  scores = frame.allocateScratch(element, blockRows * scoreStride);
  inverses = frame.allocateScratch(element, blockRows);
  keyPanel = frame.allocateScratch(element, std::max<int64_t>(d, 1) * width);
  if (packsValues)
    valuePanel =
        frame.allocateScratch(element, std::max<int64_t>(n, 1) * width);
}

LogicalResult AttentionEmitter::emit() {
  if (!element.isF32() && !element.isF64())
    return op.emitOpError("computes in f32 or f64, not ") << element;
  ArrayRef<int64_t> extents = op.getExtents();
  numBatch = op.getNumBatchDims();
  m = extents[numBatch];
  n = extents[numBatch + 1];
  d = extents[numBatch + 2];
  e = extents[numBatch + 3];
  elementBytes = element.getIntOrFloatBitWidth() / 8;
  auto created =
      TileOutput::create(frame, op.getResult(), frame.machine.mostTileElements);
  if (failed(created) || failed(bindOperands()))
    return failure();
  output.emplace(std::move(*created));
  if (op.getLogSumExp())
    logarithms = frame.buffer(op.getLogSumExp());
  int64_t batchCount = 1;
  for (int64_t extent : extents.take_front(numBatch))
    batchCount *= extent;
  if (batchCount * m == 0 || (e == 0 && !logarithms)) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  choose();

  int64_t blockCount = llvm::divideCeil(split.count(), blockTiles);
  Value tile = frame.enterTileLoop();
  SmallVector<Value> at = index.delinearize(tile, {batchCount, blockCount});
  batch = index.delinearize(at[0], extents.take_front(numBatch));
  for (Operand *operand : {&query, &key, &value, &mask, &lengths, &sink}) {
    if (!operand->buffer)
      continue;
    operand->base = index.constant(operand->access.offset);
    for (auto [position, stride] : llvm::zip(batch, operand->access.strides))
      operand->base = index.at(operand->base, position, stride);
  }
  tileBegin = index.mul(at[1], blockTiles);
  tileEnd = index.add(tileBegin, blockTiles);
  if (split.count() % blockTiles)
    tileEnd = index.min(tileEnd, index.constant(split.count()));

  readLength();
  // Later rows see later keys, so the first and the last one bound the block.
  Value keys = keysOf(firstRowOfTile(index, split, tileEnd));
  blockFirstKey = firstKeyOf(firstRowOfTile(index, split, tileBegin));
  emitScores(keys);
  emitSoftmax();
  if (failed(emitOutput(keys)))
    return failure();

  int64_t tiles = batchCount * blockCount;
  Work piece;
  piece.operations = 2.0 * blockTiles * split.bigRows * n * (d + e);
  piece.bytes = double(elementBytes) * n * (d + e);
  piece.accumulator = element;
  int64_t chunk = chooseChunk(frame.machine, piece, tiles);
  Work all = piece;
  all.operations *= tiles;
  // What is exponentiated counts as an output.
  expectWork(frame,
             contractionNanoseconds(frame.machine, all,
                                    double(batchCount) * m * (double(n) + e)));
  frame.finish(tiles, chunk);
  return success();
}

/// How many keys the grid's current batch element has.
void AttentionEmitter::readLength() {
  length = index.constant(n);
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
  if (!op.getLengths())
    return index.add(row, n - m);
  return index.add(index.add(row, length), -m);
}

/// Past the last key that rows before `rowEnd` see.
Value AttentionEmitter::keysOf(Value rowEnd) {
  if (!op.getCausal())
    return length;
  Value keys = position(rowEnd);
  if (m > n || op.getLengths())
    keys = index.max(keys, index.constant(0));
  return keys;
}

/// The first key of the first panel that `row` and those after it see.
Value AttentionEmitter::firstKeyOf(Value row) {
  if (!op.getWindow())
    return index.constant(0);
  int64_t window = *op.getWindow(), width = vectors * lanes;
  Value first = index.max(index.add(position(row), 1 - std::min(window, n + m)),
                          index.constant(0));
  return index.mul(index.div(first, width), width);
}

Value AttentionEmitter::padded(Value keys) {
  int64_t width = vectors * lanes;
  return index.mul(index.div(index.add(keys, width - 1), width), width);
}

void AttentionEmitter::forEachTile(function_ref<void(const Rows &)> body) {
  index.loop(tileBegin, tileEnd, 1, [&](Value number) {
    Value slot = index.mul(index.sub(number, tileBegin), split.bigRows);
    emitTileOfRows(index, split, number, [&](Value first, int64_t height) {
      Rows rows;
      rows.first = first;
      rows.height = height;
      rows.scores = index.mul(slot, scoreStride);
      rows.inverses = slot;
      rows.firstKey = firstKeyOf(first);
      rows.keys = keysOf(index.add(first, height));
      rows.paddedKeys = padded(rows.keys);
      body(rows);
    });
  });
}

void AttentionEmitter::emitScores(Value keys) {
  int64_t width = vectors * lanes;
  int64_t whole = n / width * width, tail = n - whole;
  if (whole)
    index.loop(blockFirstKey, index.min(keys, index.constant(whole)), width,
               [&](Value first) { emitScorePanel(first, width); });
  if (!tail)
    return;
  auto emitTail = [&] { emitScorePanel(index.constant(whole), tail); };
  if (boundsKeys())
    index.branch(index.less(index.constant(whole), keys), emitTail);
  else
    emitTail();
}

void AttentionEmitter::emitScorePanel(Value firstKey, int64_t count) {
  OpBuilder &builder = frame.builder;
  int64_t width = vectors * lanes;
  PanelSource source;
  source.source = key.buffer;
  source.columnStride = key.access.strides[numBatch + 1];
  source.base = index.at(key.base, firstKey, source.columnStride);
  source.depth.push_back({d, key.access.strides[numBatch + 2]});
  source.columns = count;
  emitPanelCopy(index, source, index.constant(0), index.constant(d), keyPanel,
                width, /*isUnsigned=*/false);

  TileRhs rhs;
  rhs.buffer = keyPanel;
  rhs.base = index.constant(0);
  rhs.step = width;
  for (int64_t v = 0; v < vectors; ++v)
    rhs.vectors.push_back(v * lanes);
  forEachTile([&](const Rows &rows) {
    auto emitTile = [&] {
      RegisterTile tile(builder, loc, element, rows.height, vectors);
      int64_t rowStride = query.access.strides[numBatch];
      TileLhs lhs;
      lhs.buffer = query.buffer;
      lhs.base = index.at(query.base, rows.first, rowStride);
      lhs.step = query.access.strides[numBatch + 2];
      for (int64_t r = 0; r < rows.height; ++r)
        lhs.rows.push_back(r * rowStride);
      SmallVector<Value> sums = tile.accumulate(
          lhs, rhs, index.constant(0), index.constant(d), tile.zeros());
      Value place = index.add(rows.scores, firstKey);
      for (int64_t r = 0; r < rows.height; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          vector::StoreOp::create(
              builder, loc, sums[r * vectors + v], scores,
              index.add(place, r * scoreStride + v * lanes));
    };
    // Rows that see none of these keys.
    auto emitBeforeEnd = [&] {
      if (boundsKeys())
        index.branch(index.less(firstKey, rows.keys), emitTile);
      else
        emitTile();
    };
    if (op.getWindow())
      index.branch(index.less(firstKey, rows.firstKey), [] {}, emitBeforeEnd);
    else
      emitBeforeEnd();
  });
}

Value AttentionEmitter::constant(double value) {
  return arith::ConstantOp::create(
      frame.builder, loc,
      DenseElementsAttr::get(vectorType,
                             FloatAttr::get(element, value).getValue()));
}

/// Scale and mask; what is dropped, and what pads a panel, becomes -infinity.
Value AttentionEmitter::finishScore(Value sum, Value row, Value firstKey,
                                    int64_t count) {
  OpBuilder &builder = frame.builder;
  Value dropped = constant(-std::numeric_limits<double>::infinity());
  if (count <= 0)
    return dropped;
  Value exists = tailMask(builder, loc, lanes, count);
  Value score = arith::MulFOp::create(builder, loc, sum,
                                      constant(op.getScale().convertToFloat()));
  if (mask.buffer) {
    int64_t keyStride = mask.access.strides[numBatch + 1];
    Value position = index.at(mask.base, row, mask.access.strides[numBatch]);
    position = index.at(position, firstKey, keyStride);
    Type maskElement =
        cast<RankedTensorType>(op.getMask().getType()).getElementType();
    LaneBuilder reader(builder, loc, lanes, exists);
    Value loaded = reader.materialize(
        reader.load(mask.buffer, maskElement, LaneValue(position, keyStride)));
    if (maskElement.isInteger(1))
      score = arith::SelectOp::create(builder, loc, loaded, score, dropped);
    else
      score = arith::AddFOp::create(
          builder, loc, score, convertElements(builder, loc, loaded, element));
  }
  if (exists)
    score = arith::SelectOp::create(builder, loc, exists, score, dropped);
  // Keys up to the row's position, which is before the length, or all.
  Value seen;
  if (boundsKeys()) {
    Value end = op.getCausal() ? position(row) : index.add(length, -1);
    seen = laneCompare(arith::CmpIPredicate::sle, index.sub(end, firstKey));
  }
  if (op.getWindow()) {
    int64_t window = std::min<int64_t>(*op.getWindow(), n + m);
    Value near =
        laneCompare(arith::CmpIPredicate::sgt,
                    index.sub(index.add(position(row), -window), firstKey));
    seen = seen ? arith::AndIOp::create(builder, loc, seen, near).getResult()
                : near;
  }
  return seen ? arith::SelectOp::create(builder, loc, seen, score, dropped)
                    .getResult()
              : score;
}

/// Compares the numbers of lanes with `bound`.
Value AttentionEmitter::laneCompare(arith::CmpIPredicate predicate,
                                    Value bound) {
  OpBuilder &builder = frame.builder;
  auto lanesOfIndex = VectorType::get({lanes}, builder.getI32Type());
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(lane);
  Value lane = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(lanesOfIndex, ArrayRef<int32_t>(numbers)));
  Value limit = vector::BroadcastOp::create(
      builder, loc, lanesOfIndex,
      arith::IndexCastOp::create(builder, loc, builder.getI32Type(), bound));
  return arith::CmpIOp::create(builder, loc, predicate, lane, limit);
}

/// Joins lanes by halves, always in the same tree.
Value AttentionEmitter::combineLanes(
    Value vector, function_ref<Value(Value, Value)> combine) {
  OpBuilder &builder = frame.builder;
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    vector =
        combine(vector::ShuffleOp::create(builder, loc, vector, vector, low),
                vector::ShuffleOp::create(builder, loc, vector, vector, high));
  }
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

void AttentionEmitter::emitSoftmax() {
  OpBuilder &builder = frame.builder;
  int64_t width = vectors * lanes;
  auto maximum = [&](Value left, Value right) -> Value {
    return arith::MaximumFOp::create(builder, loc, left, right);
  };
  auto sum = [&](Value left, Value right) -> Value {
    return arith::AddFOp::create(builder, loc, left, right);
  };
  forEachTile([&](const Rows &rows) {
    index.loop(0, rows.height, 1, [&](Value r) {
      Value base = index.at(rows.scores, r, scoreStride);
      // One running value per vector of a panel. The last panel may be wider
      // than the keys.
      int64_t whole = n / width * width;
      auto overPanels = [&](Value init, auto step) {
        auto panel = [&](int64_t count) {
          return [&, count](Value column, ValueRange carried) {
            SmallVector<Value> next;
            for (int64_t v = 0; v < vectors; ++v)
              next.push_back(step(index.add(column, v * lanes),
                                  count - v * lanes, carried[v]));
            return next;
          };
        };
        SmallVector<Value> running(vectors, init);
        Value wholeEnd = index.min(rows.paddedKeys, index.constant(whole));
        running =
            index.loop(rows.firstKey, wholeEnd, width, running, panel(width));
        return index.loop(index.constant(whole), rows.paddedKeys, width,
                          running, panel(n - whole));
      };
      auto join = [&](SmallVector<Value> running,
                      function_ref<Value(Value, Value)> combine) {
        Value all = running[0];
        for (Value more : ArrayRef(running).drop_front())
          all = combine(all, more);
        return combineLanes(all, combine);
      };
      auto load = [&](Value column) -> Value {
        return vector::LoadOp::create(builder, loc, vectorType, scores,
                                      index.add(base, column));
      };
      auto store = [&](Value vector, Value column) {
        vector::StoreOp::create(builder, loc, vector, scores,
                                index.add(base, column));
      };

      Value row = index.add(rows.first, r);
      Value largest =
          join(overPanels(constant(-std::numeric_limits<double>::infinity()),
                          [&](Value column, int64_t count, Value running) {
                            Value score =
                                finishScore(load(column), row, column, count);
                            store(score, column);
                            return maximum(running, score);
                          }),
               maximum);
      Value sinks = sinkVector();
      if (sinks)
        largest =
            maximum(largest, vector::ExtractOp::create(builder, loc, sinks, 0));
      Value spread =
          vector::BroadcastOp::create(builder, loc, vectorType, largest);
      Value total = join(overPanels(constant(0),
                                    [&](Value column, int64_t, Value running) {
                                      Value distance = arith::SubFOp::create(
                                          builder, loc, load(column), spread);
                                      Value weight = math::ExpOp::create(
                                          builder, loc, distance);
                                      store(weight, column);
                                      return sum(running, weight);
                                    }),
                         sum);
      if (sinks) {
        Value weight = math::ExpOp::create(
            builder, loc, arith::SubFOp::create(builder, loc, sinks, spread));
        total = sum(total, vector::ExtractOp::create(builder, loc, weight, 0));
      }
      if (logarithms)
        storeLogarithm(row, largest, total);
      Value one = arith::ConstantOp::create(builder, loc,
                                            builder.getFloatAttr(element, 1));
      if (op.getZeroNanRows()) {
        // A sum is NaN exactly if one of its weights is, and then all are: each
        // is the distance to the same largest score. A row that sees no key at
        // all has the sum 0.
        Value zero = arith::ConstantOp::create(
            builder, loc, builder.getFloatAttr(element, 0));
        Value isNan = arith::CmpFOp::create(
            builder, loc, arith::CmpFPredicate::ULE, total, zero);
        index.branch(isNan, [&] {
          index.loop(rows.firstKey, rows.paddedKeys, lanes,
                     [&](Value column) { store(constant(0), column); });
        });
        total = arith::SelectOp::create(builder, loc, isNan, one, total);
      }
      Value inverse = arith::DivFOp::create(builder, loc, one, total);
      memref::StoreOp::create(builder, loc, inverse, inverses,
                              index.add(rows.inverses, r));
    });
  });
}

/// The sink's logit in all lanes; null without one.
Value AttentionEmitter::sinkVector() {
  if (!op.getSink())
    return {};
  OpBuilder &builder = frame.builder;
  LaneBuilder reader(builder, loc, lanes);
  Type type = cast<RankedTensorType>(op.getSink().getType()).getElementType();
  Value loaded =
      reader.materialize(reader.load(sink.buffer, type, LaneValue(sink.base)));
  return convertElements(builder, loc, loaded, element);
}

/// The logarithm of a row's sum. A row without one counts for nothing beside
/// others if its weights are zero; else it is not a number, as its results are.
void AttentionEmitter::storeLogarithm(Value row, Value largest, Value total) {
  OpBuilder &builder = frame.builder;
  auto vectorOf = [&](Value value) -> Value {
    return vector::BroadcastOp::create(builder, loc, vectorType, value);
  };
  Value sum =
      arith::AddFOp::create(builder, loc, vectorOf(largest),
                            math::LogOp::create(builder, loc, vectorOf(total)));
  Value isNan = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ULE,
                                      vectorOf(total), constant(0));
  double nothing = op.getZeroNanRows()
                       ? -std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  sum = arith::SelectOp::create(builder, loc, isNan, constant(nothing), sum);
  Value single = vector::ExtractOp::create(builder, loc, sum, 0);
  if (!element.isF32())
    single =
        arith::TruncFOp::create(builder, loc, builder.getF32Type(), single);
  Value place = index.constant(0);
  for (auto [position, extent] :
       llvm::zip(batch, op.getExtents().take_front(numBatch)))
    place = index.add(index.mul(place, extent), position);
  place = index.add(index.mul(place, m), row);
  memref::StoreOp::create(builder, loc, single, logarithms, place);
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
  int64_t keyStride = value.access.strides[numBatch + 1];
  int64_t columnStride = value.access.strides[numBatch + 3];
  TileRhs rhs;
  for (int64_t v = 0; v < used; ++v)
    rhs.vectors.push_back(v * lanes);
  Value corner = index.at(value.base, firstColumn, columnStride);
  if (packsValues) {
    PanelSource source;
    source.source = value.buffer;
    source.base = corner;
    source.depth.push_back({n, keyStride});
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
    rhs.lastMask = tailMask(builder, loc, lanes, columns - (used - 1) * lanes);
  }

  AffineMap out = op.getOutMap();
  LogicalResult status = success();
  forEachTile([&](const Rows &rows) {
    RegisterTile tile(builder, loc, element, rows.height, used);
    TileLhs lhs;
    lhs.buffer = scores;
    lhs.base = rows.scores;
    for (int64_t r = 0; r < rows.height; ++r)
      lhs.rows.push_back(r * scoreStride);
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

    TilePlace place;
    for (auto [position, expr] : llvm::enumerate(out.getResults())) {
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
    if (failed(output->store(tile, sums, place)))
      status = failure();
  });
  return status;
}

LogicalResult emitAttention(KernelFrame &frame, kernel::AttentionOp op) {
  return AttentionEmitter(frame, op).emit();
}

} // namespace heddle
