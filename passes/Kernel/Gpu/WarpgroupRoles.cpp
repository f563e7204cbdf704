// Roles as warpgroups: the barriers of a channel, and who waits for which.

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

#include "dialects/Kernel/GridKernels.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace heddle {

LogicalResult WarpgroupRoles::findParts() {
  unsigned others = 0;
  function.walk([&](Operation *op) {
    if (auto found = dyn_cast<ws::ChannelOp>(op)) {
      rings.push_back({found, {}, {}, {}});
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
  if (rings.empty() || others || !tiles || tiles.getNumResults() ||
      tiles->getParentOp() != function || !epilogue ||
      epilogue->getParentOp() != tiles)
    return roles.emitOpError("copies boxes outside of a loop over tiles that "
                             "has these roles and an epilogue alone");
  for (Ring &ring : rings)
    if (llvm::none_of(ring.channel->getUsers(), [&](Operation *user) {
          return roles->isProperAncestor(user);
        }))
      return ring.channel.emitOpError("has no role, beside others that have");
  for (ws::TensorMapOp map : maps)
    if (!isa<BlockArgument>(map.getSource()))
      return map.emitOpError("describes no buffer of the launch: the host "
                             "makes a map before it");
  return findSums();
}

/// Finds what the consumers carry.
LogicalResult WarpgroupRoles::findSums() {
  sums = dyn_cast<ws::AccumulatorType>(roles.getResult(0).getType());
  auto isOfWarpgroups = [](ws::AccumulatorType type) {
    return warpM(type) == kMmaM && type.getWarpColumns() == 1 &&
           type.getRows() % kWarpgroupM == 0 && type.getColumns() <= 256;
  };
  for (auto product : roles.getConsume().getOps<ws::MmaOp>())
    if (!isOfWarpgroups(product.getAccumulator().getType()))
      return product.emitOpError("has no sums of warpgroups, which have ")
             << kWarpgroupM << " rows and up to 256 columns, 16 rows a warp";
  bool computes = llvm::any_of(roles.getConsume().getOps(), [](Operation &op) {
    return isa<ws::MapOp, ws::ReduceOp, ws::NarrowOp>(op);
  });
  if (computes)
    return findLate();
  if (roles.getNumResults() != 1 || !sums)
    return roles.emitOpError("copies boxes, and carries something else than "
                             "one accumulator of products");
  return success();
}

/// The slots of all channels, then the barriers.
void WarpgroupRoles::placeShared() {
  int64_t slots = 0, barriers = depth() * kBarrierBytesOfSlot;
  for (Ring &ring : rings)
    slots += depth() * ring.slotBytes();
  Value first = placeLaunchedMemory(slots + static_cast<int64_t>(rings.size()) *
                                                barriers);
  int64_t offset = 0;
  for (auto [number, ring] : llvm::enumerate(rings)) {
    ring.shared = offset ? advance(first, i32(offset)) : first;
    ring.barriers =
        advance(first, i32(slots + static_cast<int64_t>(number) * barriers));
    offset += depth() * ring.slotBytes();
  }
}

WarpgroupRoles::Ring &WarpgroupRoles::ringOf(Value channel) {
  return *llvm::find_if(
      rings, [&](Ring &ring) { return ring.channel.getChannel() == channel; });
}

Value WarpgroupRoles::barrierOf(Ring &ring, int64_t first, Value stage) {
  return advance(ring.barriers,
                 binary<arith::MulIOp>(add(stage, first), kBarrierBytes));
}

/// One thread makes the barriers; the others see them behind the barrier of the
/// block, and copies do behind the fence.
void WarpgroupRoles::makeBarriers() {
  Location loc = index.loc;
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                        thread, i32(0));
  index.branch(isFirst, [&] {
    for (Ring &ring : rings)
      for (int64_t stage = 0; stage < depth(); ++stage) {
        NVVM::MBarrierInitOp::create(builder, loc, fullOf(ring, i32(stage)),
                                     i32(1), Value());
        NVVM::MBarrierInitOp::create(builder, loc, emptyOf(ring, i32(stage)),
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

void WarpgroupRoles::giveBack(Ring &ring, Value stage) {
  Value isFirst = arith::CmpIOp::create(builder, index.loc,
                                        arith::CmpIPredicate::eq, lane, i32(0));
  index.branch(isFirst, [&] {
    NVVM::MBarrierArriveOp::create(builder, index.loc, builder.getI64Type(),
                                   emptyOf(ring, stage), Value());
  });
}

void WarpgroupRoles::emitTiles(
    function_ref<RingPlace(IRMapping &, RingPlace)> role,
    function_ref<void(Operation &, IRMapping &)> other) {
  // Registers are short: numbers of tiles take one where they fit.
  constexpr int64_t most = int64_t(1) << 30;
  std::optional<int64_t> count = getConstantIntValue(tiles.getUpperBound());
  bool isNarrow = count && *count <= most;
  SmallVector<Value> bounds = {tiles.getLowerBound(), tiles.getUpperBound(),
                               tiles.getStep()};
  if (isNarrow)
    for (Value &bound : bounds)
      bound = narrow(bound);
  auto loop = scf::ForOp::create(builder, tiles.getLoc(), bounds[0], bounds[1],
                                 bounds[2], ValueRange{i32(0), i32(0)});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(loop.getBody());
  IRMapping values(mapParameters);
  Value number = loop.getInductionVar();
  values.map(tiles.getInductionVar(), isNarrow ? widen(number) : number);
  RingPlace place = {loop.getRegionIterArg(0), loop.getRegionIterArg(1)};
  for (Operation &op : tiles.getBody()->without_terminator()) {
    index.loc = op.getLoc();
    if (&op == roles)
      place = role(values, place);
    else if (isa<ws::WsDialect>(op.getDialect()))
      other(op, values);
    else
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
  Value full;
  for (Operation &op : body.without_terminator()) {
    index.loc = op.getLoc();
    if (auto enter = dyn_cast<ws::PutEnterOp>(op)) {
      Ring &ring = ringOf(enter.getChannel());
      full = fullOf(ring, place.stage);
      // In the first round all slots are empty: the phase before the barrier's
      // first is over.
      wait(emptyOf(ring, place.stage), binary<arith::XOrIOp>(place.parity, 1));
      NVVM::MBarrierArriveExpectTxOp::create(
          builder, index.loc, builder.getI64Type(), full, i32(ring.slotBytes()),
          NVVM::MemScopeKind::CTA, /*relaxed=*/false, Value());
      values.map(enter.getTiles(), tilesAt(enter.getChannel().getType(),
                                           ring.copied, place.stage));
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
      for (Ring &ring : rings)
        ring.copied = LLVM::AddrSpaceCastOp::create(
            builder, index.loc,
            LLVM::LLVMPointerType::get(builder.getContext(), clusterSpace),
            ring.shared);
      emitTiles([&](IRMapping &outside,
                    RingPlace place) { return produce(outside, place); },
                [](Operation &, IRMapping &) {});
    });
  });
}

void WarpgroupRoles::emitConsumers() {
  if (auto registers = roles.getRegisters())
    NVVM::SetMaxRegisterOp::create(builder, index.loc,
                                   static_cast<uint32_t>((*registers)[1]),
                                   NVVM::SetMaxRegisterAction::increase);
  findThread(sums.getWarpColumns(), add(thread, -kWarpgroupThreads));
  if (takesTurns())
    startTurns();
  emitTiles([&](IRMapping &outside,
                RingPlace place) { return consume(outside, place); },
            [&](Operation &op, IRMapping &outside) {
              if (&op == epilogue)
                lowerEpilogue(epilogue, held[epilogue.getAccumulator()],
                              outside);
              else
                lowerNumbers(op, outside);
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
  for (Ring &ring : rings)
    ring.channel.erase();
  return success();
}

} // namespace heddle
