// Chooses how the roles of a kernel are run, and runs them as chips from sm_80
// on do without warps of their own for copies: every warp does both roles, the
// copies some steps ahead.

#include "passes/Kernel/Gpu/Passes.h"
#include "passes/Kernel/Gpu/RoleLowering.h"
#include "passes/Kernel/Gpu/TileContractions.h"
#include "passes/Kernel/Gpu/WarpgroupRoles.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace heddle {

#define GEN_PASS_DEF_LOWERROLES
#include "passes/Kernel/Gpu/Passes.h.inc"

void UniformRoles::lowerRoles(ws::RolesOp op) {
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
  SmallVector<Value> carried;
  for (Value init : op.getInits())
    llvm::append_range(carried, held.lookup(init));
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
  ArrayRef<Value> rest = results;
  for (Value result : op.getResults()) {
    int64_t count = countNumbers(result.getType());
    held[result] = SmallVector<Value>(rest.take_front(count));
    rest = rest.drop_front(count);
  }
}

void UniformRoles::run() {
  // What is inside of roles is lowered with them.
  SmallVector<Operation *> ops;
  int64_t warpColumns = 1;
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa_and_nonnull<ws::WsDialect>(op->getDialect()))
      return WalkResult::advance();
    ops.push_back(op);
    if (auto roles = dyn_cast<ws::RolesOp>(op)) {
      int64_t warps = 1;
      for (Type type : roles.getResultTypes())
        if (auto sums = dyn_cast<ws::AccumulatorType>(type)) {
          warps = sums.getWarpRows() * sums.getWarpColumns();
          warpColumns = sums.getWarpColumns();
        }
      threads = warps * kWarpThreads;
    }
    return WalkResult::skip();
  });
  if (ops.empty())
    return;
  builder.setInsertionPointToStart(&function.getBody().front());
  findThread(warpColumns, threadNumber());
  for (Operation *op : ops) {
    builder.setInsertionPoint(op);
    index.loc = op->getLoc();
    if (auto channel = dyn_cast<ws::ChannelOp>(op)) {
      placeChannel(channel);
    } else if (auto roles = dyn_cast<ws::RolesOp>(op)) {
      lowerRoles(roles);
    } else if (auto epilogue = dyn_cast<ws::EpilogueOp>(op)) {
      lowerEpilogue(epilogue, held[epilogue.getAccumulator()], {});
    } else {
      lowerNumbers(*op, {});
    }
  }
  for (Operation *op : llvm::reverse(ops))
    op->erase();
}

LogicalResult lowerRoles(func::FuncOp function) {
  WalkResult boxes = function.walk([](ws::PutExitOp exit) {
    return exit.getCompletion() == ws::Completion::Box ? WalkResult::interrupt()
                                                       : WalkResult::advance();
  });
  if (boxes.wasInterrupted())
    return WarpgroupRoles(function).run();
  UniformRoles(function).run();
  return success();
}

namespace {
struct LowerRoles : impl::LowerRolesBase<LowerRoles> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(lowerRoles(function)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace heddle
