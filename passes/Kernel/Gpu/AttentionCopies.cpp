// Brings queries to registers, keys and values to the slots of a channel.

#include "passes/Kernel/Gpu/AttentionTiler.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

using namespace mlir;

namespace heddle {

/// The block's queries, in registers. Those behind the last one are like it,
/// and what becomes of them is not stored.
Value AttentionTiler::loadQueries() {
  Location loc = index.loc;
  auto type = ws::OperandType::get(op.getContext(), shape.rows, shape.depth,
                                   elementOf(op.getQuery()), shape.warps);
  auto load =
      ws::LoadOp::create(builder, loc, type, frame.buffer(op.getQuery()),
                         std::min<int64_t>(chunkOf(query, D), 2));
  emitPlace(index, load.getPlace(), [&](Value row, Value column) {
    row = index.add(firstRow, row);
    if (extent(M) % shape.rows)
      row = index.min(row, index.constant(extent(M) - 1));
    Value position = index.at(query.base, row, stride(query, M));
    position = index.at(position, column, stride(query, D));
    return std::pair(position, isInside(index, column, extent(D), shape.depth));
  });
  return load.getResult();
}

/// Keys or values from `firstKey` on. Those behind the last one are zero: what
/// lies there may be no number.
void AttentionTiler::emitCopy(const AttentionOperand &operand,
                              AttentionLoop innermost, Value firstKey,
                              Value firstColumn, Value into) {
  Location loc = index.loc;
  auto copy = ws::CopyOp::create(builder, loc, frame.buffer(operand.tensor),
                                 into, chunk);
  int64_t columns = cast<ws::TileType>(into.getType()).getColumns();
  emitPlace(index, copy.getPlace(), [&](Value row, Value column) {
    row = index.add(firstKey, row);
    column = index.add(firstColumn, column);
    Value position = index.at(operand.base, row, stride(operand, N));
    position = index.at(position, column, stride(operand, innermost));
    Value isKey = hasRaggedKeys() ? index.less(row, length) : Value();
    Value isColumn = isInside(index, column, extent(innermost), columns);
    return std::pair(position, both(index, isKey, isColumn));
  });
}

/// Boxes of keys or values from `firstKey` on. Those behind the last one are
/// zero: the tensor ends there.
void AttentionTiler::emitBoxCopy(const AttentionOperand &operand,
                                 Value firstKey, Value firstColumn,
                                 Value into) {
  SmallVector<Value> at = {firstColumn, firstKey};
  for (unsigned loop : operand.boxed->batch)
    at.push_back(batch[loop]);
  ws::CopyBoxOp::create(builder, index.loc, operand.map, at, into);
}

/// What lies behind the length is in boxes too, and may be no number: of
/// values, whose weights are zero there, it becomes zero.
void AttentionTiler::clearBehindLength(Value tile, Value firstKey) {
  Value isPart = index.less(length, index.add(firstKey, shape.keys));
  ws::ClearOp::create(builder, index.loc, tile, index.sub(length, firstKey),
                      isPart);
}

/// Brings keys or values from `firstKey` on into a slot of their channel.
void AttentionTiler::put(const AttentionOperand &operand,
                         AttentionLoop innermost, Value firstKey,
                         Value firstColumn) {
  auto completion = isByWarpgroups ? ws::Completion::Box
                    : chunk == 1   ? ws::Completion::Store
                                   : ws::Completion::CpAsync;
  emitPut(index, operand.channel, completion, [&](ValueRange tiles) {
    if (isByWarpgroups)
      emitBoxCopy(operand, firstKey, firstColumn, tiles[0]);
    else
      emitCopy(operand, innermost, firstKey, firstColumn, tiles[0]);
  });
}

void AttentionTiler::produce(ws::RolesOp roles) {
  emitProducer(index, roles, [&](Value step) {
    Value firstKey = index.at(start, step, shape.keys);
    put(key, D, firstKey, index.constant(0));
    put(value, E, firstKey, firstColumn);
  });
}

} // namespace heddle
