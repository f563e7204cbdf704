// The steps of warpgroups that multiply: which products are under way while
// others start, or while numbers are computed.

#include "passes/Kernel/Gpu/WarpgroupRoles.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace heddle {

/// A step that computes numbers ends in a product of these and a tile onto sums
/// that it carries. The product needs no more than what is carried then, so
/// that the next step's first one and what is computed of that can go before
/// its end (Shah et al., "FlashAttention-3", 2024, section 3.2).
LogicalResult WarpgroupRoles::findLate() {
  Block &body = roles.getConsume().front();
  late = {};
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    auto wait = value.getDefiningOp<ws::MmaWaitOp>();
    auto product =
        wait ? wait.getStarted().getDefiningOp<ws::MmaOp>() : nullptr;
    auto enter =
        product ? product.getRhs().getDefiningOp<ws::GetEnterOp>() : nullptr;
    if (!enter || late.product || enter.getTiles().size() != 1 ||
        !isa<ws::OperandType>(product.getLhs().getType()))
      continue;
    late.enter = enter;
    late.product = product;
    late.wait = wait;
    late.exit = cast<ws::GetExitOp>(*enter.getToken().getUsers().begin());
    late.carried = body.getArgument(static_cast<unsigned>(i) + 1);
  }
  auto products = roles.getConsume().getOps<ws::MmaOp>();
  // Its sums are late for a step: whoever else reads them would wait for it.
  if (!sums || !late.product || !late.wait.getResult().hasOneUse() ||
      late.carried.getArgNumber() != 1 || *products.begin() == late.product)
    return roles.emitOpError(
        "copies boxes and computes in registers, without a "
        "last product of these that is the first of what "
        "it carries");
  return success();
}

bool WarpgroupRoles::isLate(Operation &op) {
  return &op == late.enter || &op == late.product || &op == late.wait ||
         &op == late.exit;
}

/// Multiplies what lies in a slot, while the products of the step before end;
/// their slot is given back then.
WarpgroupRoles::RingPlace WarpgroupRoles::consumeProducts(IRMapping &outside,
                                                          RingPlace place) {
  Location loc = roles.getLoc();
  Ring &ring = rings[0];
  Value zero = LLVM::ZeroOp::create(builder, loc, structOf(sums));
  Value low = index.constant(0),
        steps = outside.lookupOrDefault(roles.getSteps());
  // A slot is read until a step after the one that started to read it.
  SmallVector<Value> after =
      index.loop(low, steps, 1, {zero, place.stage, place.parity, place.stage},
                 [&](Value step, ValueRange carried) -> SmallVector<Value> {
                   RingPlace now = {carried[1], carried[2]};
                   Value started = carried[0];
                   wait(fullOf(ring, now.stage), now.parity);
                   for (auto mma : roles.getConsume().getOps<ws::MmaOp>()) {
                     index.loc = mma.getLoc();
                     started = multiply(mma, now.stage, started);
                   }
                   NVVM::WgmmaWaitGroupSyncOp::create(builder, loc, 1);
                   index.branch(index.less(low, step),
                                [&] { giveBack(ring, carried[3]); });
                   RingPlace then = next(now);
                   return {started, then.stage, then.parity, now.stage};
                 });
  held[roles.getResult(0)] = unpack(finish(after[0], 0));
  index.branch(index.less(low, steps), [&] { giveBack(ring, after[3]); });
  return {after[1], after[2]};
}

/// Sets the registers of values of the dialect to `numbers`, one after another.
void WarpgroupRoles::hold(ValueRange values, ValueRange numbers) {
  for (Value value : values) {
    auto operand = dyn_cast<ws::OperandType>(value.getType());
    int64_t count = operand ? operand.getRows() * operand.getColumns() / 2 /
                                  (operand.getWarps() * kWarpThreads)
                            : countNumbers(value.getType());
    held[value] = SmallVector<Value>(numbers.take_front(count));
    numbers = numbers.drop_front(count);
  }
}

SmallVector<Value> WarpgroupRoles::heldOf(ValueRange values) {
  SmallVector<Value> numbers;
  for (Value value : values)
    llvm::append_range(numbers, held.lookup(value));
  return numbers;
}

/// What one step leaves for the next: both operands in registers of the late
/// product, and what the step yields beside it.
SmallVector<Value> WarpgroupRoles::carriedValues() {
  SmallVector<Value> values = {late.product.getAccumulator(),
                               late.product.getLhs()};
  llvm::append_range(
      values,
      roles.getConsume().front().getTerminator()->getOperands().drop_front());
  return values;
}

/// Barriers of the block, but that of all its threads: the turns of the two
/// warpgroups that multiply, and of all that do.
static constexpr int64_t kTurns = 1, kConsumers = 3;

/// Clears rows of a tile of a slot. The products that read it are of another
/// proxy of memory than stores (PTX ISA, "Proxies"), and of all warps.
void WarpgroupRoles::clear(ws::ClearOp op, RingPlace place,
                           const IRMapping &values) {
  Location loc = index.loc;
  Value tile = op.getTile();
  Ring &ring = ringOf(tile.getDefiningOp<ws::GetEnterOp>().getChannel());
  int64_t threads = consumerWarps() * kWarpThreads;
  index.branch(values.lookupOrDefault(op.getWhere()), [&] {
    wait(fullOf(ring, place.stage), place.parity);
    Value slot = tilesAt(ring.channel.getChannel().getType(), ring.shared,
                         place.stage)[0];
    clearRows(op.getTile().getType(), advance(slot, i32(offsetInSlot(tile))),
              values.lookupOrDefault(op.getRow()), threads);
    NVVM::FenceProxyOp::create(builder, loc, NVVM::ProxyKind::async,
                               NVVM::SharedSpaceAttr());
    NVVM::BarrierOp::create(builder, loc, TypeRange(), i32(kConsumers),
                            i32(threads), NVVM::BarrierReductionAttr(),
                            Value());
  });
}

bool WarpgroupRoles::takesTurns() {
  return late.product && sums.getRows() == 2 * kWarpgroupM;
}

/// The first turn is that of the first warpgroup: the second one gives it.
void WarpgroupRoles::startTurns() {
  isSecond =
      arith::CmpIOp::create(builder, index.loc, arith::CmpIPredicate::uge,
                            warpRow, i32(kWarpgroupM / kMmaM));
  index.branch(isSecond, [&] { giveTurnTo(0); });
}

void WarpgroupRoles::waitForTurn() {
  auto waitAt = [&](int64_t group) {
    NVVM::BarrierOp::create(builder, index.loc, TypeRange(),
                            i32(kTurns + group),
                            i32(consumerWarps() * kWarpThreads),
                            NVVM::BarrierReductionAttr(), Value());
  };
  index.branch(isSecond, [&] { waitAt(1); }, [&] { waitAt(0); });
}

void WarpgroupRoles::giveTurn() {
  index.branch(isSecond, [&] { giveTurnTo(0); }, [&] { giveTurnTo(1); });
}

void WarpgroupRoles::giveTurnTo(int64_t group) {
  NVVM::BarrierArriveOp::create(builder, index.loc, i32(kTurns + group),
                                i32(consumerWarps() * kWarpThreads));
}

/// Starts the late product of the step that was at `place`.
Value WarpgroupRoles::startLate(RingPlace place) {
  index.loc = late.product.getLoc();
  Ring &ring = ringOf(late.enter.getChannel());
  wait(fullOf(ring, place.stage), place.parity);
  return multiply(late.product, place.stage,
                  pack(held.lookup(late.product.getAccumulator())));
}

/// Waits for the late product; its sums are those of `into`.
void WarpgroupRoles::finishLate(Value started, RingPlace place, Value into) {
  index.loc = late.wait.getLoc();
  held[into] = unpack(finish(started, 0));
  giveBack(ringOf(late.enter.getChannel()), place.stage);
}

/// A step but for its late product. That of the step before is started behind
/// the first product, and finished before anybody reads its sums; both do
/// nothing in the first step.
void WarpgroupRoles::consumeStep(Value step, RingPlace place,
                                 const IRMapping &outside,
                                 function_ref<void()> startBefore,
                                 function_ref<void()> finishBefore) {
  IRMapping values(outside);
  Block &body = roles.getConsume().front();
  values.map(body.getArgument(0), step);
  DenseMap<Value, Value> started;
  bool hasMultiplied = false, hasFinished = !finishBefore;
  for (Operation &op : body.without_terminator()) {
    index.loc = op.getLoc();
    if (isLate(op))
      continue;
    if (!hasFinished && llvm::is_contained(op.getOperands(), late.carried)) {
      finishBefore();
      hasFinished = true;
      index.loc = op.getLoc();
    }
    if (auto enter = dyn_cast<ws::GetEnterOp>(op)) {
      wait(fullOf(ringOf(enter.getChannel()), place.stage), place.parity);
    } else if (auto mma = dyn_cast<ws::MmaOp>(op)) {
      if (takesTurns() && !hasMultiplied)
        waitForTurn();
      Value onto;
      if (!mma.getAccumulator().getDefiningOp<ws::ZeroOp>())
        onto = pack(held.lookup(mma.getAccumulator()));
      started[mma] = multiply(mma, place.stage, onto);
      if (hasMultiplied)
        continue;
      hasMultiplied = true;
      if (startBefore)
        startBefore();
      if (takesTurns())
        giveTurn();
    } else if (auto rows = dyn_cast<ws::ClearOp>(op)) {
      clear(rows, place, values);
    } else if (auto end = dyn_cast<ws::MmaWaitOp>(op)) {
      // The late product was started behind this one.
      held[end] =
          unpack(finish(started[end.getStarted()], hasFinished ? 0 : 1));
    } else if (auto exit = dyn_cast<ws::GetExitOp>(op)) {
      auto enter = exit.getToken().getDefiningOp<ws::GetEnterOp>();
      giveBack(ringOf(enter.getChannel()), place.stage);
    } else if (!lowerNumbers(op, values)) {
      builder.clone(op, values);
    }
  }
  if (!hasFinished)
    finishBefore();
}

/// All steps, of which there is one at least: the first has no late product
/// before it, and the last one's has no step behind it. Gives the numbers of
/// all results and the place in the rings.
SmallVector<Value> WarpgroupRoles::consumeAnySteps(Value steps,
                                                   IRMapping &outside,
                                                   RingPlace place) {
  Block &body = roles.getConsume().front();
  ValueRange arguments = body.getArguments().drop_front();
  consumeStep(index.constant(0), place, outside, nullptr, nullptr);
  SmallVector<Value> values = carriedValues(), inits = heldOf(values);
  // The place of the late product, before that of the step.
  inits.append({place.stage, place.parity});
  SmallVector<Value> after = index.loop(
      index.constant(1), steps, 1, inits,
      [&](Value step, ValueRange carried) -> SmallVector<Value> {
        RingPlace before = {carried[carried.size() - 2], carried.back()};
        RingPlace now = next(before);
        ValueRange numbers = carried.drop_back(2);
        hold({late.product.getAccumulator(), late.product.getLhs()}, numbers);
        hold(arguments.drop_front(),
             numbers.drop_front(
                 heldOf({late.product.getAccumulator(), late.product.getLhs()})
                     .size()));
        Value started;
        consumeStep(
            step, now, outside, [&] { started = startLate(before); },
            [&] { finishLate(started, before, late.carried); });
        SmallVector<Value> results = heldOf(values);
        results.append({now.stage, now.parity});
        return results;
      });
  ArrayRef<Value> all = after;
  RingPlace last = {all[all.size() - 2], all.back()};
  hold(values, all.drop_back(2));
  SmallVector<Value> rest(values.begin() + 2, values.end());
  SmallVector<Value> others = heldOf(rest);
  finishLate(startLate(last), last, roles.getResult(0));
  SmallVector<Value> results = heldOf(roles.getResult(0));
  llvm::append_range(results, others);
  RingPlace behind = next(last);
  results.append({behind.stage, behind.parity});
  return results;
}

WarpgroupRoles::RingPlace WarpgroupRoles::consumeNumbers(IRMapping &outside,
                                                         RingPlace place) {
  Value steps = outside.lookupOrDefault(roles.getSteps());
  ValueRange arguments = roles.getConsume().front().getArguments().drop_front();
  SmallVector<Value> inits = heldOf(roles.getInits());
  hold(arguments, inits);
  SmallVector<Value> results;
  if (std::optional<int64_t> known = getConstantIntValue(steps);
      known && *known > 0) {
    results = consumeAnySteps(steps, outside, place);
  } else {
    inits.append({place.stage, place.parity});
    auto branch = scf::IfOp::create(
        builder, roles.getLoc(), ValueRange(inits).getTypes(),
        index.less(index.constant(0), steps), /*addThenBlock=*/true,
        /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(branch.thenBlock());
    SmallVector<Value> some = consumeAnySteps(steps, outside, place);
    scf::YieldOp::create(builder, roles.getLoc(), some);
    builder.setInsertionPointToEnd(branch.elseBlock());
    scf::YieldOp::create(builder, roles.getLoc(), inits);
    results = branch.getResults();
  }
  ArrayRef<Value> all = results;
  hold(roles.getResults(), all.drop_back(2));
  return {all[all.size() - 2], all.back()};
}

WarpgroupRoles::RingPlace WarpgroupRoles::consume(IRMapping &outside,
                                                  RingPlace place) {
  return late.product ? consumeNumbers(outside, place)
                      : consumeProducts(outside, place);
}

} // namespace heddle
