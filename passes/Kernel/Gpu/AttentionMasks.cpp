// Which keys a query sees, and what masks make of its scores.

#include "passes/Kernel/Gpu/AttentionTiler.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

using namespace mlir;

namespace heddle {

/// Which keys the block's queries see: `steps` tiles from `start` on.
void AttentionTiler::findKeys() {
  length = index.constant(extent(N));
  if (op.getLengths()) {
    Value given = frame.load(frame.buffer(op.getLengths()), lengths.base,
                             elementOf(op.getLengths()));
    given = arith::IndexCastOp::create(builder, index.loc,
                                       builder.getIndexType(), given);
    length = index.min(index.max(given, index.constant(0)), length);
  }
  shift = index.add(length, -extent(M));
  Value end = length;
  // The last query sees the most, the first one the earliest.
  if (op.getCausal())
    end = index.max(
        index.min(end, index.add(index.add(firstRow, shift), shape.rows)),
        index.constant(0));
  start = index.constant(0);
  if (op.getWindow()) {
    Value first = index.add(index.add(firstRow, shift), 1 - window());
    first = index.min(index.max(first, start), end);
    start = index.mul(index.div(first, shape.keys), shape.keys);
  }
  Value whole = index.add(index.sub(end, start), shape.keys - 1);
  steps = index.div(whole, shape.keys);
}

/// Whether some query of the block does not see some of the keys from
/// `firstKey` on; null if each sees all of them in any case.
Value AttentionTiler::isPartial(Value firstKey) {
  Value partial;
  auto add = [&](Value condition) {
    partial = partial ? apply<arith::OrIOp>(partial, condition) : condition;
  };
  Value next = i32(index.add(firstKey, shape.keys));
  auto isBefore = [&](Value end) {
    return arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::slt,
                                 i32(end), next);
  };
  if (hasRaggedKeys())
    add(isBefore(length));
  Value firstPlace = index.add(firstRow, shift);
  if (op.getCausal())
    add(isBefore(index.add(firstPlace, 1)));
  if (op.getWindow()) {
    Value lastPlace = index.add(firstPlace, shape.rows - 1);
    add(index.less(firstKey, index.add(lastPlace, 1 - window())));
  }
  return partial;
}

/// Whether the query at `row` sees the key at `column` of the tile.
Value AttentionTiler::isSeen(Value firstKey, Value row, Value column) {
  Value seen, last;
  auto add = [&](Value larger, Value smaller) {
    // Differences of small numbers, which are compared with 0: the row's part
    // of them is that of all columns of a lane.
    auto difference = arith::SubIOp::create(builder, index.loc, larger, smaller,
                                            arith::IntegerOverflowFlags::nsw);
    Value zero = arith::ConstantOp::create(builder, index.loc,
                                           builder.getI32IntegerAttr(0));
    Value condition = arith::CmpIOp::create(
        builder, index.loc, arith::CmpIPredicate::sge, difference, zero);
    seen = seen ? apply<arith::AndIOp>(seen, condition) : condition;
  };
  Value place = index.sub(index.add(row, index.add(firstRow, shift)), firstKey);
  if (op.getCausal())
    last = i32(place);
  if (hasRaggedKeys()) {
    Value lastKey = i32(index.add(index.sub(length, firstKey), -1));
    last = last ? apply<arith::MinSIOp>(last, lastKey) : lastKey;
  }
  if (last)
    add(last, i32(column));
  if (op.getWindow())
    add(i32(column), i32(index.add(place, 1 - window())));
  return seen;
}

/// The score with what the mask says of it. Queries and keys that are not there
/// have no mask.
Value AttentionTiler::maskScore(Value score, Value firstKey, Value row,
                                Value column) {
  Value m = index.add(firstRow, row), n = index.add(firstKey, column);
  Value isQuery = isInside(index, m, extent(M), shape.rows);
  Value isKey = isInside(index, n, extent(N), shape.keys);
  Value inside = both(index, isQuery, isKey);
  Value position = index.at(mask.base, m, stride(mask, M));
  position = index.at(position, n, stride(mask, N));
  if (inside)
    position = arith::SelectOp::create(builder, index.loc, inside, position,
                                       mask.base);
  Type type = elementOf(op.getMask());
  Value loaded = frame.load(frame.buffer(op.getMask()), position, type);
  if (type.isInteger(1))
    return arith::SelectOp::create(builder, index.loc, loaded, score,
                                   leastScore());
  if (type.getIntOrFloatBitWidth() < 32)
    loaded =
        arith::ExtFOp::create(builder, index.loc, builder.getF32Type(), loaded);
  else if (type.isF64())
    loaded = arith::TruncFOp::create(builder, index.loc, builder.getF32Type(),
                                     loaded);
  return apply<arith::AddFOp>(score, loaded);
}

/// What is exponentiated: products masked, and scaled unless that comes later.
Value AttentionTiler::scoresOf(Value products, Value firstKey) {
  Value scores = products;
  if (!isScaledLate)
    scores =
        map(scoresType, products, [&](ValueRange numbers, ValueRange place) {
          Value score = apply<arith::MulFOp>(numbers[0], constant(scale()));
          return op.getMask() ? maskScore(score, firstKey, place[0], place[1])
                              : score;
        });
  Value partial = isPartial(firstKey);
  if (!partial)
    return scores;
  return map(
      scoresType, scores,
      [&](ValueRange numbers, ValueRange place) -> Value {
        return arith::SelectOp::create(builder, index.loc,
                                       isSeen(firstKey, place[0], place[1]),
                                       numbers[0], leastScore());
      },
      partial);
}

} // namespace heddle
