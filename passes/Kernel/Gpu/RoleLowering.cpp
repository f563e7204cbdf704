// Threads, slots and epilogues, for all lowerings of roles.

#include "passes/Kernel/Gpu/RoleLowering.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;

namespace heddle {

Value RoleLowering::threadNumber() {
  return narrow(gpu::ThreadIdOp::create(builder, index.loc, gpu::Dimension::x));
}

void RoleLowering::findThread(ws::AccumulatorType type, Value number) {
  sumsType = type;
  thread = number;
  lane = binary<arith::RemUIOp>(thread, kWarpThreads);
  Value warp = binary<arith::DivUIOp>(thread, kWarpThreads);
  warpRow = binary<arith::DivUIOp>(warp, type.getWarpColumns());
  warpColumn = binary<arith::RemUIOp>(warp, type.getWarpColumns());
}

SmallVector<Value> RoleLowering::tilesAt(ws::ChannelType type, Value channel,
                                         Value stage) {
  Value slot =
      advance(channel, binary<arith::MulIOp>(stage, type.getSlotBytes()));
  SmallVector<Value> tiles;
  int64_t offset = 0;
  for (Type tile : type.getTiles()) {
    tiles.push_back(offset ? advance(slot, i32(offset)) : slot);
    offset += cast<ws::TileType>(tile).getBytes();
  }
  return tiles;
}

void RoleLowering::lowerEpilogue(ws::EpilogueOp op, ValueRange sums,
                                 const IRMapping &outside) {
  index.loc = op.getLoc();
  ws::AccumulatorType type = op.getAccumulator().getType();
  int64_t columns = warpN(type) / kMmaN;
  Value firstRow = add(binary<arith::MulIOp>(warpRow, warpM(type)),
                       binary<arith::DivUIOp>(lane, 4));
  Value firstColumn =
      add(binary<arith::MulIOp>(warpColumn, warpN(type)),
          binary<arith::MulIOp>(binary<arith::RemUIOp>(lane, 4), 2));
  auto widen = [&](Value value) -> Value {
    return arith::IndexCastUIOp::create(builder, index.loc,
                                        builder.getIndexType(), value);
  };
  Block &body = op.getBody().front();
  for (auto [i, sum] : llvm::enumerate(sums)) {
    int64_t matrix = i / 4, part = i % 4;
    IRMapping values(outside);
    values.map(body.getArgument(0), sum);
    values.map(body.getArgument(1),
               widen(add(firstRow, matrix / columns * kMmaM + part / 2 * 8)));
    values.map(body.getArgument(2),
               widen(add(firstColumn, matrix % columns * kMmaN + part % 2)));
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, values);
  }
}

} // namespace heddle
