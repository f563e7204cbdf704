// Brings queries to registers, keys and values to the slots of a channel.

#include "passes/Kernel/Gpu/AttentionTiler.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"
#include "passes/Kernel/Gpu/TileEpilogue.h"

using namespace mlir;

namespace heddle {

/// The block's queries, in registers; those behind the last one are zero.
Value AttentionTiler::loadQueries() {
  Location loc = index.loc;
  auto type = ws::OperandType::get(op.getContext(), shape.rows, shape.depth,
                                   elementOf(op.getQuery()), shape.warps);
  auto load =
      ws::LoadOp::create(builder, loc, type, frame.buffer(op.getQuery()),
                         std::min<int64_t>(chunkOf(query, D), 2));
  emitPlace(index, load.getPlace(), [&](Value row, Value column) {
    row = index.add(firstRow, row);
    Value position = index.at(query.base, row, stride(query, M));
    position = index.at(position, column, stride(query, D));
    Value isRow = isInside(index, row, extent(M), shape.rows);
    Value isColumn = isInside(index, column, extent(D), shape.depth);
    return std::pair(position, both(index, isRow, isColumn));
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

void AttentionTiler::produce(ws::RolesOp roles, Value channel) {
  emitProducer(index, roles, channel,
               chunk == 1 ? ws::Completion::Store : ws::Completion::CpAsync,
               [&](Value step, ValueRange tiles) {
                 Value firstKey = index.at(start, step, shape.keys);
                 emitCopy(key, D, firstKey, index.constant(0), tiles[0]);
                 emitCopy(value, E, firstKey, firstColumn, tiles[1]);
               });
}

} // namespace heddle
