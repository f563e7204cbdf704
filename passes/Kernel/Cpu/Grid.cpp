// Cuts work into tiles, and emits loops, copies and fills.

#include "passes/Kernel/Cpu/Grid.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "passes/Kernel/Cpu/Work.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace mlir;

namespace heddle {

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value enterUnits(KernelFrame &frame, const Extent &units,
                 double unitNanoseconds, Extent &tiles) {
  OpBuilder &builder = frame.builder;
  Location loc = frame.source.getLoc();
  // Units that cost nothing are a tile together: the quotient is infinite.
  int64_t perTile =
      units.bound()
          ? int64_t(std::clamp(frame.machine.rates.tileNs / unitNanoseconds,
                               1.0, double(units.bound())))
          : 1;
  tiles = units.ceilDiv(perTile);
  expectWork(frame, units.bound() * unitNanoseconds);
  Value tile = frame.enterTileLoop();
  if (perTile == 1)
    return tile;
  Value size = constant(builder, loc, perTile);
  Value begin = arith::MulIOp::create(builder, loc, tile, size);
  Value end = arith::AddIOp::create(builder, loc, begin, size);
  if (!units.isMultipleOf(perTile))
    end = arith::MinUIOp::create(builder, loc, end, frame.valueOf(units));
  auto loop =
      scf::ForOp::create(builder, loc, begin, end, constant(builder, loc, 1));
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  return loop.getInductionVar();
}

SmallVector<Value> indicesAt(KernelFrame &frame, IndexBuilder &index,
                             Value linear, ArrayRef<Extent> extents) {
  // How far the outermost index goes is not asked for.
  const Extent *outermost = llvm::find_if_not(
      extents, [](const Extent &extent) { return extent.is(1); });
  SmallVector<Number> numbers;
  for (const Extent &extent : extents)
    numbers.push_back(&extent == outermost && extent.isSized()
                          ? Number(0)
                          : frame.numberOf(extent));
  return index.indicesAt(linear, numbers);
}

FailureOr<SmallVector<Value>> emitLoop(OpBuilder &builder, Location loc,
                                       int64_t begin, int64_t end, int64_t step,
                                       ArrayRef<Value> carried, LoopBody body) {
  if (begin >= end)
    return SmallVector<Value>(carried);
  if (begin + step >= end)
    return body(constant(builder, loc, begin), carried);
  Value low = constant(builder, loc, begin);
  Value high = constant(builder, loc, end);
  return emitLoop(builder, loc, low, high, step, carried, body);
}

FailureOr<SmallVector<Value>> emitLoop(OpBuilder &builder, Location loc,
                                       Value begin, Value end, int64_t step,
                                       ArrayRef<Value> carried, LoopBody body) {
  auto loop = scf::ForOp::create(builder, loc, begin, end,
                                 constant(builder, loc, step), carried);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = loop.getBody();
  if (carried.empty())
    block->getTerminator()->erase();
  builder.setInsertionPointToEnd(block);
  SmallVector<Value> inside(loop.getRegionIterArgs());
  FailureOr<SmallVector<Value>> results = body(loop.getInductionVar(), inside);
  if (failed(results))
    return failure();
  scf::YieldOp::create(builder, loc, *results);
  return SmallVector<Value>(loop.getResults());
}

static int64_t storageBytes(Type type) {
  return llvm::divideCeil(storageType(type).getIntOrFloatBitWidth(), 8);
}

/// The elements of a logical vector in memory.
static int64_t storageLanes(Type type) {
  return std::max(logicalLanes, logicalVectorBytes / storageBytes(type));
}

/// Calls `emit(lanes, offset)` for `count` elements: logical vectors, the
/// last one masked.
static void forVectors(OpBuilder &builder, Location loc, Type type,
                       int64_t count,
                       llvm::function_ref<void(LaneBuilder &, Value)> emit) {
  int64_t lanes = storageLanes(type);
  int64_t full = count / lanes * lanes;
  auto body = [&](int64_t vectors) {
    return [&, vectors](Value iv,
                        ArrayRef<Value>) -> FailureOr<SmallVector<Value>> {
      LaneBuilder whole(builder, loc, lanes);
      for (int64_t vector = 0; vector < vectors; ++vector)
        emit(whole, vector ? arith::AddIOp::create(
                                 builder, loc, iv,
                                 constant(builder, loc, vector * lanes))
                                 .getResult()
                           : iv);
      return SmallVector<Value>();
    };
  };
  int64_t fours = full / (4 * lanes) * 4 * lanes;
  (void)emitLoop(builder, loc, 0, fours, 4 * lanes, {}, body(4));
  (void)emitLoop(builder, loc, fours, full, lanes, {}, body(1));
  if (full == count)
    return;
  LaneBuilder rest(builder, loc, lanes,
                   tailMask(builder, loc, lanes, count - full));
  emit(rest, constant(builder, loc, full));
}

/// The same for as many elements as are known when the kernel runs.
static void forVectors(OpBuilder &builder, Location loc, Type type, Value count,
                       llvm::function_ref<void(LaneBuilder &, Value)> emit) {
  IndexBuilder index(builder, loc);
  int64_t lanes = storageLanes(type);
  Value rest = index.rem(count, lanes);
  Value full = index.sub(count, rest);
  index.loop(index.constant(0), full, lanes, [&](Value offset) {
    LaneBuilder whole(builder, loc, lanes);
    emit(whole, offset);
  });
  index.branch(index.less(index.constant(0), rest), [&] {
    LaneBuilder masked(builder, loc, lanes,
                       countMask(builder, loc, lanes, rest));
    emit(masked, full);
  });
}

void emitCopy(OpBuilder &builder, Location loc, Value from, Value fromIndex,
              Value to, Value toIndex, const Number &count) {
  Type type = cast<MemRefType>(from.getType()).getElementType();
  if (count.is(1)) {
    Value value = memref::LoadOp::create(builder, loc, from, fromIndex);
    memref::StoreOp::create(builder, loc, value, to, toIndex);
    return;
  }
  auto copy = [&](LaneBuilder &lanes, Value offset) {
    LaneValue source(arith::AddIOp::create(builder, loc, fromIndex, offset), 1);
    LaneValue target(arith::AddIOp::create(builder, loc, toIndex, offset), 1);
    lanes.store(lanes.load(from, type, source).value, to, target);
  };
  if (count.value)
    forVectors(builder, loc, type, count.value, copy);
  else
    forVectors(builder, loc, type, count.number, copy);
}

void emitFill(OpBuilder &builder, Location loc, Value value, Value to,
              Value toIndex, int64_t count) {
  if (count == 1) {
    memref::StoreOp::create(builder, loc, value, to, toIndex);
    return;
  }
  forVectors(builder, loc, value.getType(), count,
             [&](LaneBuilder &lanes, Value offset) {
               LaneValue target(
                   arith::AddIOp::create(builder, loc, toIndex, offset), 1);
               lanes.store(lanes.materialize(value), to, target);
             });
}

Value toStorage(OpBuilder &builder, Location loc, Value value) {
  Type type = storageType(value.getType());
  if (type == value.getType())
    return value;
  return arith::ExtUIOp::create(builder, loc, type, value);
}

double copyCost(const Machine &machine, Type type, int64_t count) {
  const MachineRates &rates = machine.rates;
  return rates.copyStartNs + rates.copyByteNs * count * storageBytes(type);
}

} // namespace heddle
