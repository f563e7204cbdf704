// Brings queries to registers, keys and values to the slots of a channel.

#include "passes/Kernel/Gpu/AttentionTiler.h"

#include "heddle/Support/TensorTypes.h"
#include "passes/Kernel/Cpu/Limits.h"

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
  OpBuilder::InsertionGuard guard(builder);
  Type number = builder.getIndexType();
  Block *block =
      builder.createBlock(&load.getPlace(), {}, {number, number}, {loc, loc});
  Value row = index.add(firstRow, block->getArgument(0)),
        column = block->getArgument(1);
  Value position = index.at(query.base, row, stride(query, M));
  position = index.at(position, column, stride(query, D));
  Value inside = both(
      index,
      extent(M) % shape.rows ? index.less(row, index.constant(extent(M)))
                             : Value(),
      extent(D) != shape.depth ? index.less(column, index.constant(extent(D)))
                               : Value());
  if (!inside)
    inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  ws::YieldOp::create(builder, loc, ValueRange{position, inside});
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
  OpBuilder::InsertionGuard guard(builder);
  Type number = builder.getIndexType();
  Block *block =
      builder.createBlock(&copy.getPlace(), {}, {number, number}, {loc, loc});
  Value row = index.add(firstKey, block->getArgument(0)),
        column = index.add(firstColumn, block->getArgument(1));
  Value position = index.at(operand.base, row, stride(operand, N));
  position = index.at(position, column, stride(operand, innermost));
  int64_t columns = cast<ws::TileType>(into.getType()).getColumns();
  bool isWhole = !op.getLengths() && extent(N) % shape.keys == 0;
  Value inside =
      both(index, isWhole ? Value() : index.less(row, length),
           extent(innermost) % columns
               ? index.less(column, index.constant(extent(innermost)))
               : Value());
  if (!inside)
    inside = arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  ws::YieldOp::create(builder, loc, ValueRange{position, inside});
}

void AttentionTiler::emitProducer(ws::RolesOp roles, Value channel) {
  Location loc = index.loc;
  OpBuilder::InsertionGuard guard(builder);
  Block *body =
      builder.createBlock(&roles.getProduce(), {}, builder.getIndexType(), loc);
  TypeRange tiles = cast<ws::ChannelType>(channel.getType()).getTiles();
  auto enter = ws::PutEnterOp::create(
      builder, loc, tiles, ws::TokenType::get(op.getContext()), channel);
  Value firstKey = index.at(start, body->getArgument(0), shape.keys);
  emitCopy(key, D, firstKey, index.constant(0), enter.getTiles()[0]);
  emitCopy(value, E, firstKey, firstColumn, enter.getTiles()[1]);
  ws::PutExitOp::create(builder, loc, enter.getToken(),
                        chunk == 1 ? ws::Completion::Store
                                   : ws::Completion::CpAsync);
  ws::YieldOp::create(builder, loc, ValueRange());
}

} // namespace heddle
