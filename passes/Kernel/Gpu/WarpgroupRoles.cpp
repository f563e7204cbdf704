// Roles as warpgroups: the barriers of a channel, and who waits for which.

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

#include "dialects/Kernel/GridKernels.h"

using namespace mlir;

namespace heddle {

LogicalResult WarpgroupRoles::findParts() {
  unsigned channels = 0, others = 0;
  function.walk([&](Operation *op) {
    if (auto found = dyn_cast<ws::ChannelOp>(op)) {
      channel = found;
      ++channels;
    } else if (auto found = dyn_cast<ws::RolesOp>(op)) {
      others += bool(roles);
      roles = found;
    } else if (auto found = dyn_cast<ws::EpilogueOp>(op)) {
      others += bool(epilogue);
      epilogue = found;
    } else if (auto map = dyn_cast<ws::TensorMapOp>(op)) {
      maps.push_back(map);
    }
  });
  tiles = dyn_cast<scf::ForOp>(roles->getParentOp());
  if (channels != 1 || others || !tiles || tiles.getNumResults() ||
      tiles->getParentOp() != function || !epilogue ||
      epilogue->getParentOp() != tiles)
    return roles.emitOpError("copies boxes outside of a loop over tiles that "
                             "has one channel, these roles and an epilogue");
  WalkResult numbers = function.walk([](Operation *op) {
    if (!isa<ws::LoadOp, ws::MapOp, ws::ReduceOp, ws::NarrowOp>(op))
      return WalkResult::advance();
    op->emitOpError("computes in registers, beside roles that copy boxes");
    return WalkResult::interrupt();
  });
  if (numbers.wasInterrupted())
    return failure();
  for (ws::TensorMapOp map : maps)
    if (!isa<BlockArgument>(map.getSource()))
      return map.emitOpError("describes no buffer of the launch: the host "
                             "makes a map before it");
  if (roles.getInits().size() != 1 ||
      !isa<ws::AccumulatorType>(roles.getResult(0).getType()))
    return roles.emitOpError("copies boxes, and carries something else than "
                             "one accumulator");
  sums = cast<ws::AccumulatorType>(roles.getResult(0).getType());
  if (warpM(sums) != kMmaM || sums.getWarpColumns() != 1 ||
      sums.getRows() % kWarpgroupM || sums.getColumns() > 256)
    return roles.emitOpError("has no sums of warpgroups, which have ")
           << kWarpgroupM << " rows and up to 256 columns, 16 rows a warp";
  return success();
}

/// The slots, then the barriers.
void WarpgroupRoles::placeShared() {
  int64_t slots = depth() * channel.getChannel().getType().getSlotBytes();
  shared = placeLaunchedMemory(slots + depth() * kBarrierBytesOfSlot);
  barriers = advance(shared, i32(slots));
}

Value WarpgroupRoles::barrierOf(int64_t first, Value stage) {
  return advance(barriers,
                 binary<arith::MulIOp>(add(stage, first), kBarrierBytes));
}

/// One thread makes the barriers; the others see them behind the barrier of the
/// block, and copies do behind the fence.
void WarpgroupRoles::makeBarriers() {
  Location loc = index.loc;
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, i32(0));
  index.branch(isFirst, [&] {
    for (int64_t stage = 0; stage < depth(); ++stage) {
      NVVM::MBarrierInitOp::create(builder, loc, fullOf(i32(stage)), i32(1),
                                   Value());
      NVVM::MBarrierInitOp::create(builder, loc, emptyOf(i32(stage)),
                                   i32(consumerWarps()), Value());
    }
    NVVM::FenceMbarrierInitOp::create(builder, loc);
  });
  barrier();
}

/// Each map becomes a parameter behind the others, which the host fills as the
/// function's attribute says.
void WarpgroupRoles::addTensorMaps() {
  SmallVector<Attribute> descriptors;
  for (ws::TensorMapOp map : maps) {
    unsigned number = function.getNumArguments();
    (void)function.insertArgument(
        number, LLVM::LLVMPointerType::get(builder.getContext()),
        DictionaryAttr(), map.getLoc());
    mapParameters.map(map.getMap(), function.getArgument(number));
    auto binding = cast<BlockArgument>(map.getSource()).getArgNumber();
    descriptors.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("binding", builder.getI64IntegerAttr(binding)),
         builder.getNamedAttr(
             "element",
             TypeAttr::get(
                 cast<MemRefType>(map.getSource().getType()).getElementType())),
         builder.getNamedAttr("offset", map.getOffsetAttr()),
         builder.getNamedAttr("extents", map.getExtentsAttr()),
         builder.getNamedAttr("strides", map.getStridesAttr()),
         builder.getNamedAttr("box", map.getBoxAttr())}));
  }
  function->setAttr(kernel::kDescriptorsAttrName,
                    builder.getArrayAttr(descriptors));
}

WarpgroupRoles::RingPlace WarpgroupRoles::next(RingPlace place) {
  Location loc = index.loc;
  Value stage = add(place.stage, 1);
  Value isOver = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                       stage, i32(depth()));
  return {arith::SelectOp::create(builder, loc, isOver, i32(0), stage),
          arith::SelectOp::create(builder, loc, isOver,
                                  binary<arith::XOrIOp>(place.parity, 1),
                                  place.parity)};
}

void WarpgroupRoles::wait(Value barrier, Value parity) {
  // Nanoseconds after which the hardware looks again, as a hint.
  constexpr int64_t ticks = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(builder, index.loc, barrier, parity,
                                        i32(ticks));
}

void WarpgroupRoles::giveBack(Value stage) {
  Value isFirst = arith::CmpIOp::create(builder, index.loc,
                                        arith::CmpIPredicate::eq, lane, i32(0));
  index.branch(isFirst, [&] {
    NVVM::MBarrierArriveOp::create(builder, index.loc, builder.getI64Type(),
                                   emptyOf(stage), Value());
  });
}

void WarpgroupRoles::emitTiles(
    function_ref<RingPlace(IRMapping &, RingPlace)> role,
    function_ref<void(IRMapping &)> finishTile) {
  auto loop = scf::ForOp::create(builder, tiles.getLoc(), tiles.getLowerBound(),
                                 tiles.getUpperBound(), tiles.getStep(),
                                 ValueRange{i32(0), i32(0)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  IRMapping values(mapParameters);
  values.map(tiles.getInductionVar(), loop.getInductionVar());
  RingPlace place = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  for (Operation &op : tiles.getBody()->without_terminator()) {
    index.loc = op.getLoc();
    if (&op == roles)
      place = role(values, place);
    else if (&op == epilogue)
      finishTile(values);
    else if (!isa<ws::ZeroOp>(op))
      builder.clone(op, values);
  }
  scf::YieldOp::create(builder, tiles.getLoc(),
                       ValueRange{place.stage, place.parity});
}

void WarpgroupRoles::copyBoxes(ws::CopyBoxOp op, Value tile, Value full,
                               const IRMapping &values) {
  ws::TileType type = op.getTile().getType();
  SmallVector<Value> at = llvm::map_to_vector(op.getAt(), [&](Value place) {
    return narrow(values.lookupOrDefault(place));
  });
  Value first = at[0];
  int64_t panel = type.getPanelColumns();
  for (int64_t column = 0; column < type.getColumns(); column += panel) {
    at[0] = add(first, column);
    Value into =
        advance(tile, i32(column * type.getRows() *
                          type.getElement().getIntOrFloatBitWidth() / 8));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        builder, index.loc, into, values.lookup(op.getMap()), at, full,
        ValueRange(), Value(), Value(), NVVM::TMALoadMode::TILE,
        /*isCTAOnly=*/false, NVVM::CTAGroupKindAttr(), Value());
  }
}

void WarpgroupRoles::produceStep(Value step, RingPlace place,
                                 const IRMapping &outside) {
  IRMapping values(outside);
  Block &body = roles.getProduce().front();
  values.map(body.getArgument(0), step);
  ws::ChannelType type = channel.getChannel().getType();
  Value full = fullOf(place.stage);
  for (Operation &op : body.without_terminator()) {
    index.loc = op.getLoc();
    if (auto enter = dyn_cast<ws::PutEnterOp>(op)) {
      // In the first round all slots are empty: the phase before the barrier's
      // first is over.
      wait(emptyOf(place.stage), binary<arith::XOrIOp>(place.parity, 1));
      NVVM::MBarrierArriveExpectTxOp::create(
          builder, index.loc, builder.getI64Type(), full,
          i32(type.getSlotBytes()), NVVM::MemScopeKind::CTA, /*relaxed=*/false,
          Value());
      values.map(enter.getTiles(), tilesAt(type, copied, place.stage));
    } else if (auto copy = dyn_cast<ws::CopyBoxOp>(op)) {
      copyBoxes(copy, values.lookup(copy.getTile()), full, values);
    } else if (!isa<ws::PutExitOp>(op)) {
      builder.clone(op, values);
    }
  }
}

WarpgroupRoles::RingPlace WarpgroupRoles::produce(IRMapping &outside,
                                                  RingPlace place) {
  SmallVector<Value> after =
      index.loop(index.constant(0), outside.lookupOrDefault(roles.getSteps()),
                 1, {place.stage, place.parity},
                 [&](Value step, ValueRange carried) -> SmallVector<Value> {
                   RingPlace now = {carried[0], carried[1]};
                   produceStep(step, now, outside);
                   RingPlace then = next(now);
                   return {then.stage, then.parity};
                 });
  return {after[0], after[1]};
}

int64_t WarpgroupRoles::offsetInSlot(Value tile) {
  auto enter = tile.getDefiningOp<ws::GetEnterOp>();
  int64_t offset = 0;
  for (Value other : enter.getTiles()) {
    if (other == tile)
      break;
    offset += cast<ws::TileType>(other.getType()).getBytes();
  }
  return offset;
}

/// Multiplies what lies in a slot, while the products of the step before end;
/// their slot is given back then.
Value WarpgroupRoles::consumeStep(RingPlace place, Value started) {
  wait(fullOf(place.stage), place.parity);
  for (auto mma : roles.getConsume().getOps<ws::MmaOp>()) {
    index.loc = mma.getLoc();
    started = multiply(mma, place.stage, started);
  }
  return started;
}

WarpgroupRoles::RingPlace WarpgroupRoles::consume(IRMapping &outside,
                                                  RingPlace place) {
  Location loc = roles.getLoc();
  Value zero = LLVM::ZeroOp::create(builder, loc, sumsStruct());
  Value low = index.constant(0);
  // A slot is read until a step after the one that started to read it.
  SmallVector<Value> after = index.loop(
      low, outside.lookupOrDefault(roles.getSteps()), 1,
      {zero, place.stage, place.parity, place.stage},
      [&](Value step, ValueRange carried) -> SmallVector<Value> {
        RingPlace now = {carried[1], carried[2]};
        Value started = consumeStep(now, carried[0]);
        NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 1);
        index.branch(index.less(low, step), [&] { giveBack(carried[3]); });
        RingPlace then = next(now);
        return {started, then.stage, then.parity, now.stage};
      });
  finished = finish(after[0]);
  index.branch(index.less(low, outside.lookupOrDefault(roles.getSteps())),
               [&] { giveBack(after[3]); });
  return {after[1], after[2]};
}

void WarpgroupRoles::emitProducer() {
  if (auto registers = roles.getRegisters())
    NVVM::SetMaxRegisterOp::create(builder, index.loc,
                                   static_cast<uint32_t>((*registers)[0]),
                                   NVVM::SetMaxRegisterAction::decrease);
  Value isFirstWarp = arith::CmpIOp::create(
      builder, index.loc, arith::CmpIPredicate::ult, thread, i32(kWarpThreads));
  index.branch(isFirstWarp, [&] {
    Value elected = NVVM::ElectSyncOp::create(builder, index.loc,
                                              builder.getI1Type(), Value());
    index.branch(elected, [&] {
      // The device's copies name memory of all blocks of a cluster.
      constexpr unsigned clusterSpace = 7;
      copied = LLVM::AddrSpaceCastOp::create(
          builder, index.loc,
          LLVM::LLVMPointerType::get(builder.getContext(), clusterSpace),
          shared);
      emitTiles([&](IRMapping &outside,
                    RingPlace place) { return produce(outside, place); },
                [](IRMapping &) {});
    });
  });
}

void WarpgroupRoles::emitConsumers() {
  if (auto registers = roles.getRegisters())
    NVVM::SetMaxRegisterOp::create(builder, index.loc,
                                   static_cast<uint32_t>((*registers)[1]),
                                   NVVM::SetMaxRegisterAction::increase);
  findThread(sums.getWarpColumns(), add(thread, -kWarpgroupThreads));
  emitTiles([&](IRMapping &outside,
                RingPlace place) { return consume(outside, place); },
            [&](IRMapping &outside) {
              SmallVector<Value> elements;
              for (int64_t i = 0; i < countNumbers(sums); ++i)
                elements.push_back(LLVM::ExtractValueOp::create(
                    builder, index.loc, finished, i));
              lowerEpilogue(epilogue, elements, outside);
            });
}

LogicalResult WarpgroupRoles::run() {
  function.walk([&](ws::RolesOp op) { roles = op; });
  if (!roles)
    return success();
  roles = {};
  if (failed(findParts()))
    return failure();
  index.loc = roles.getLoc();
  builder.setInsertionPoint(tiles);
  thread = threadNumber();
  placeShared();
  addTensorMaps();
  makeBarriers();
  Value isProducer =
      arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::ult,
                            thread, i32(kWarpgroupThreads));
  Value all = thread;
  index.branch(
      isProducer, [&] { emitProducer(); },
      [&] {
        emitConsumers();
        thread = all;
      });
  tiles.erase();
  for (ws::TensorMapOp map : maps)
    map.erase();
  channel.erase();
  return success();
}

} // namespace heddle
