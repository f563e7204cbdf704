// The scores of attention: queries against panels of keys, scaled and masked.

#include "passes/Kernel/Cpu/AttentionEmitter.h"

#include "passes/Kernel/Cpu/LoopAccess.h"
#include "passes/Kernel/Cpu/PanelPacking.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

void AttentionEmitter::emitScores(Value keys) {
  int64_t width = vectors * lanes;
  if (n.isSized()) {
    // The tiles are the same for a panel that is not full.
    Value end = valueOf(n);
    index.loop(blockFirstKey, keys, width, [&](Value first) {
      Value left = index.sub(end, first);
      // Keys that lie side by side are copied in whole vectors or masked ones,
      // others by squares in either case.
      if (!key.access.strides[numBatch + 1].is(1))
        copyKeys(first, index.min(left, index.constant(width)));
      else
        index.branch(
            index.less(left, index.constant(width)),
            [&] { copyKeys(first, left); }, [&] { copyKeys(first, width); });
      emitScoreTiles(first);
    });
    return;
  }
  auto emitScorePanel = [&](Value firstKey, int64_t count) {
    copyKeys(firstKey, count);
    emitScoreTiles(firstKey);
  };
  int64_t whole = n.bound() / width * width, tail = n.bound() - whole;
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

void AttentionEmitter::copyKeys(Value firstKey, const Number &count) {
  int64_t width = vectors * lanes;
  PanelSource source;
  source.source = key.buffer;
  source.columnStride = frame.numberOf(key.access.strides[numBatch + 1]);
  source.base = index.at(key.base, firstKey, source.columnStride);
  source.depth.push_back({d, frame.numberOf(key.access.strides[numBatch + 2])});
  source.columns = count;
  emitPanelCopy(index, source, index.constant(0), index.constant(d), keyPanel,
                width, /*isUnsigned=*/false);
}

void AttentionEmitter::emitScoreTiles(Value firstKey) {
  OpBuilder &builder = frame.builder;
  int64_t width = vectors * lanes;
  TileRhs rhs;
  rhs.buffer = keyPanel;
  rhs.base = index.constant(0);
  rhs.step = width;
  for (int64_t v = 0; v < vectors; ++v)
    rhs.vectors.push_back(v * lanes);
  forEachTile([&](const Rows &rows) {
    auto emitTile = [&] {
      RegisterTile tile(builder, loc, element, rows.height, vectors);
      Number rowStride = frame.numberOf(query.access.strides[numBatch]);
      TileLhs lhs;
      lhs.buffer = query.buffer;
      lhs.base = index.at(query.base, rows.first, rowStride);
      lhs.step = frame.numberOf(query.access.strides[numBatch + 2]);
      lhs.setRows(index, rows.height, rowStride, rows.count);
      SmallVector<Value> sums = tile.accumulate(
          lhs, rhs, index.constant(0), index.constant(d), tile.zeros());
      Value place = index.add(rows.scores, firstKey);
      for (int64_t r = 0; r < rows.height; ++r) {
        Number row = index.times(r, scoreStride);
        Value start = row.value ? index.add(place, row.value) : place;
        for (int64_t v = 0; v < vectors; ++v)
          vector::StoreOp::create(builder, loc, sums[r * vectors + v], scores,
                                  index.add(start, row.number + v * lanes));
      }
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

/// Scale and mask; what is dropped, and what pads a panel, becomes -infinity.
Value AttentionEmitter::finishScore(Value sum, Value row, Value firstKey,
                                    const Number &count) {
  OpBuilder &builder = frame.builder;
  Value dropped = constant(-std::numeric_limits<double>::infinity());
  if (!count.value && count.number <= 0)
    return dropped;
  Value exists = count.value ? countMask(builder, loc, lanes, count.value)
                             : tailMask(builder, loc, lanes, count.number);
  Value score = arith::MulFOp::create(builder, loc, sum,
                                      constant(op.getScale().convertToFloat()));
  if (mask.buffer) {
    const Extent &keyStride = mask.access.strides[numBatch + 1];
    Value position =
        index.at(mask.base, row, frame.numberOf(mask.access.strides[numBatch]));
    Type maskElement =
        cast<RankedTensorType>(op.getMask().getType()).getElementType();
    LaneBuilder reader(builder, loc, lanes, exists);
    LaneValue at;
    if (std::optional<int64_t> stride = keyStride.known())
      at = LaneValue(index.at(position, firstKey, *stride), *stride);
    else
      at = reader.add(scaled(reader, frame, LaneValue(firstKey, 1), keyStride),
                      LaneValue(position));
    Value loaded =
        reader.materialize(reader.load(mask.buffer, maskElement, at));
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
    int64_t window = std::min<int64_t>(*op.getWindow(), n.bound() + m.bound());
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

} // namespace heddle
