// Roles and channels as chips from sm_80 on run them without warps of their own
// for copies: every warp does both roles, the copies some steps ahead.

#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"
#include "passes/Kernel/Gpu/TileContractions.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_LOWERROLES
#include "passes/Kernel/Gpu/Passes.h.inc"

void RoleLowering::findThread(ws::AccumulatorType type) {
  sumsType = type;
  thread =
      narrow(gpu::ThreadIdOp::create(builder, index.loc, gpu::Dimension::x));
  lane = binary<arith::RemUIOp>(thread, 32);
  Value warp = binary<arith::DivUIOp>(thread, 32);
  warpRow = binary<arith::DivUIOp>(warp, type.getWarpColumns());
  warpColumn = binary<arith::RemUIOp>(warp, type.getWarpColumns());
}

void RoleLowering::lowerRoles(ws::RolesOp op) {
  builder.setInsertionPoint(op);
  index.loc = op.getLoc();
  findThread(op.getResult().getType());
  int64_t depth = 0;
  bool isAsync = false;
  op.getProduce().walk([&](Operation *inner) {
    if (auto enter = dyn_cast<ws::PutEnterOp>(inner))
      depth = enter.getChannel().getType().getDepth();
    if (auto exit = dyn_cast<ws::PutExitOp>(inner))
      isAsync |= exit.getCompletion() == ws::Completion::CpAsync;
  });
  auto commit = [&] {
    if (isAsync)
      NVVM::CpAsyncCommitGroupOp::create(builder, index.loc);
  };
  auto putIfAny = [&](Value step, Value stage) {
    index.branch(index.less(step, op.getSteps()),
                 [&] { put(op, step, stage); });
    commit();
  };
  for (int64_t ahead = 0; ahead + 1 < depth; ++ahead)
    putIfAny(index.constant(ahead), i32(ahead));
  SmallVector<Value> carried = accumulators.lookup(op.getInit());
  carried.push_back(i32(0));
  SmallVector<Value> results = index.loop(
      index.constant(0), op.getSteps(), 1, carried,
      [&](Value step, ValueRange inner) {
        // All groups but those of the steps behind this one.
        if (isAsync)
          NVVM::CpAsyncWaitGroupOp::create(builder, index.loc, depth - 2);
        barrier();
        Value stage = inner.back();
        auto wrap = [&](Value number) -> Value {
          Value isOver = arith::CmpIOp::create(builder, index.loc,
                                               arith::CmpIPredicate::uge,
                                               number, i32(depth));
          return arith::SelectOp::create(builder, index.loc, isOver,
                                         add(number, -depth), number);
        };
        // The slot before this one: all have read it when they met.
        putIfAny(index.add(step, depth - 1), wrap(add(stage, depth - 1)));
        SmallVector<Value> sums = consume(op, step, stage, inner.drop_back());
        sums.push_back(wrap(add(stage, 1)));
        return sums;
      });
  // The slots are filled again for the block's next tile. No copy is under way:
  // the last steps started none.
  barrier();
  results.pop_back();
  accumulators[op.getResult()] = std::move(results);
}

void RoleLowering::lowerEpilogue(ws::EpilogueOp op) {
  builder.setInsertionPoint(op);
  index.loc = op.getLoc();
  ws::AccumulatorType type = op.getAccumulator().getType();
  ArrayRef<Value> sums = accumulators[op.getAccumulator()];
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
    IRMapping values;
    values.map(body.getArgument(0), sum);
    values.map(body.getArgument(1),
               widen(add(firstRow, matrix / columns * kMmaM + part / 2 * 8)));
    values.map(body.getArgument(2),
               widen(add(firstColumn, matrix % columns * kMmaN + part % 2)));
    for (Operation &inner : body.without_terminator())
      builder.clone(inner, values);
  }
}

void RoleLowering::run() {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<ws::ChannelOp, ws::ZeroOp, ws::RolesOp, ws::EpilogueOp>(op))
      ops.push_back(op);
  });
  if (ops.empty())
    return;
  for (Operation *op : ops) {
    if (auto channel = dyn_cast<ws::ChannelOp>(op)) {
      placeChannel(channel);
    } else if (auto zero = dyn_cast<ws::ZeroOp>(op)) {
      ws::AccumulatorType type = zero.getResult().getType();
      threads = type.getWarpRows() * type.getWarpColumns() * 32;
      builder.setInsertionPoint(op);
      Value value = arith::ConstantOp::create(builder, op->getLoc(),
                                              builder.getF32FloatAttr(0));
      accumulators[zero.getResult()].assign(warpM(type) * warpN(type) / 32,
                                            value);
    } else if (auto roles = dyn_cast<ws::RolesOp>(op)) {
      lowerRoles(roles);
    } else {
      lowerEpilogue(cast<ws::EpilogueOp>(op));
    }
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

void lowerRoles(func::FuncOp function) { RoleLowering(function).run(); }

namespace {
struct LowerRoles : impl::LowerRolesBase<LowerRoles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      lowerRoles(function);
  }
};
} // namespace

} // namespace heddle
