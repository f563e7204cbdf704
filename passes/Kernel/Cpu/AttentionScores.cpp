// The scores of attention: queries against panels of keys, scaled and masked.

#include "passes/Kernel/Cpu/AttentionEmitter.h"

#include "passes/Kernel/Cpu/PanelPacking.h"
#include "passes/Kernel/Cpu/RegisterTile.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace heddle {

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

} // namespace heddle
