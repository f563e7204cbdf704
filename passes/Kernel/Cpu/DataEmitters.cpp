// Concatenation, padding and updates in place: all of them copy runs of
// consecutive elements.

#include "heddle/Support/TensorTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/Extent.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/Work.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <numeric>

using namespace mlir;

namespace heddle {

static int64_t product(ArrayRef<int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                         std::multiplies<>());
}

/// The longest run that is copied in one piece.
static int64_t longestRun(const Machine &machine, Type type) {
  double perElement =
      copyCost(machine, type, 1001) - copyCost(machine, type, 1);
  int64_t run = machine.rates.tileNs / (perElement / 1000);
  return std::max(logicalVectorBytes,
                  run / logicalVectorBytes * logicalVectorBytes);
}

namespace {
/// How the elements of an input are cut: rows of it, several to a tile, or runs
/// of a row.
struct PartGrid {
  PartGrid(const Machine &machine, Type type, const Extent &rows,
           const Extent &length)
      : length(length),
        run(std::min(length.bound(), longestRun(machine, type))),
        runs(run == length.bound() ? 1 : length.ceilDiv(run)),
        units(rows * runs),
        perTile(std::clamp<int64_t>(machine.rates.tileNs /
                                        copyCost(machine, type, run),
                                    1, units.bound())),
        tiles(units.ceilDiv(perTile)) {}

  /// Elements of a row, and of a run but the last one.
  Extent length;
  int64_t run;
  Extent runs, units;
  int64_t perTile;
  Extent tiles;
};
} // namespace

/// Copies the run of number `at` of a row of `part`, `offset` elements into it.
static void copyRun(KernelFrame &frame, IndexBuilder &index,
                    const PartGrid &part, Value at, Value offset, Value source,
                    Value from, Value target, Value to) {
  auto copy = [&](const Number &count) {
    emitCopy(index.builder, index.loc, source, from, target, to, count);
  };
  std::optional<int64_t> length = part.length.known();
  if (length && *length % part.run == 0)
    return copy(part.run);
  if (part.runs.is(1))
    return copy(frame.numberOf(part.length));
  Value last = index.sub(frame.valueOf(part.runs), index.constant(1));
  index.branch(
      index.less(at, last), [&] { copy(part.run); },
      [&] {
        if (length)
          return copy(*length % part.run);
        copy(index.sub(frame.valueOf(part.length), offset));
      });
}

LogicalResult emitConcatenate(KernelFrame &frame, kernel::ConcatenateOp op) {
  Location loc = op.getLoc();
  IndexBuilder index(frame.builder, loc);
  unsigned dim = op.getDimension();
  SmallVector<Extent> extents = trueExtents(typeOf(op.getResult()));
  Extent outer = productOf(ArrayRef(extents).take_front(dim));
  Extent rowLength = productOf(ArrayRef(extents).drop_front(dim));
  Value target = frame.buffer(op.getResult());
  Type type = elementOf(op.getResult());

  // The grid is one piece per input after the other.
  Value tile = frame.enterTileLoop();
  expectWork(frame, double(outer.bound()) * op.getInputs().size() *
                            copyCost(frame.machine, type, 0) +
                        copyCost(frame.machine, type,
                                 outer.bound() * rowLength.bound()));
  Extent firstTile = 0, column = 0;
  for (Value input : op.getInputs()) {
    Extent length =
        productOf(ArrayRef(trueExtents(typeOf(input))).drop_front(dim));
    if (length.bound() == 0 || outer.bound() == 0)
      continue;
    Value source = frame.buffer(input);
    PartGrid part(frame.machine, type, outer, length);

    auto copyUnit = [&](Value unit) {
      SmallVector<Value> place =
          indicesAt(frame, index, unit, {outer, part.runs});
      Value offset = index.mul(place[1], part.run);
      Value from =
          index.add(index.mul(place[0], frame.numberOf(length)), offset);
      Value to =
          index.add(index.add(index.mul(place[0], frame.numberOf(rowLength)),
                              frame.valueOf(column)),
                    offset);
      copyRun(frame, index, part, place[1], offset, source, from, target, to);
    };
    Value isMine = index.less(tile, frame.valueOf(firstTile + part.tiles));
    if (!firstTile.is(0))
      isMine = arith::AndIOp::create(
          frame.builder, loc, isMine,
          arith::CmpIOp::create(frame.builder, loc, arith::CmpIPredicate::uge,
                                tile, frame.valueOf(firstTile)));
    index.branch(isMine, [&] {
      Value own = index.sub(tile, frame.valueOf(firstTile));
      Value begin = index.mul(own, part.perTile);
      Value end =
          index.min(index.add(begin, part.perTile), frame.valueOf(part.units));
      index.loop(begin, end, 1, copyUnit);
    });
    firstTile = firstTile + part.tiles;
    column = column + length;
  }
  frame.finish(firstTile);
  return success();
}

LogicalResult emitPad(KernelFrame &frame, kernel::PadOp op) {
  Location loc = op.getLoc();
  OpBuilder &builder = frame.builder;
  IndexBuilder index(builder, loc);
  Type type = elementOf(op.getInput());
  SmallVector<int64_t> in(shapeOf(op.getInput())), out(shapeOf(op.getResult())),
      low(op.getLow()), interior(op.getInterior());
  // Trailing dimensions without padding belong to the run.
  while (in.size() > 1 && in.back() == out.back() && low.back() == 0 &&
         interior.back() == 0 && interior[in.size() - 2] == 0) {
    int64_t extent = in.pop_back_val();
    out.pop_back();
    low.pop_back();
    interior.pop_back();
    in.back() *= extent;
    out.back() *= extent;
    low.back() *= extent;
  }
  if (in.empty()) {
    in = out = {1};
    low = interior = {0};
  }
  unsigned last = in.size() - 1;
  int64_t length = out[last];
  Value source = frame.buffer(op.getInput());
  Value target = frame.buffer(op.getResult());
  Extent tiles;
  int64_t rows = product(ArrayRef(out).drop_back());
  if (rows == 0 || length == 0) {
    frame.finish(0);
    return success();
  }
  double cost = interior[last] ? frame.machine.rates.scalarElementNs * length
                               : copyCost(frame.machine, type, length);
  Value row = enterUnits(frame, rows, cost, tiles);
  Value value = frame.scalar(op.getPadding());
  if (!value)
    return op.emitOpError("pads with a value that the kernel computes");
  value = toStorage(builder, loc, value);
  Value start = index.mul(row, length);

  // Which row of the input this one is, if it is one.
  SmallVector<Value> place = index.delinearize(row, ArrayRef(out).drop_back());
  Value from = index.constant(0);
  Value inside;
  auto require = [&](Value condition) {
    inside =
        inside
            ? arith::AndIOp::create(builder, loc, inside, condition).getResult()
            : condition;
  };
  /// The input's coordinate for the output's `at`, with what it takes to exist.
  auto coordinate = [&](Value at, unsigned dim) {
    Value moved = index.sub(at, index.constant(low[dim]));
    int64_t step = interior[dim] + 1;
    if (step > 1) {
      Value stepValue = index.constant(step);
      Value rest = arith::RemSIOp::create(builder, loc, moved, stepValue);
      require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                    rest, index.constant(0)));
      // What is below zero stays far out of bounds.
      require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge,
                                    moved, index.constant(0)));
      moved = arith::DivSIOp::create(builder, loc, moved, stepValue);
    }
    if (low[dim] != 0 || step > 1 || out[dim] > in[dim])
      require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                    moved, index.constant(in[dim])));
    return moved;
  };
  for (unsigned dim = 0; dim < last; ++dim)
    from = index.add(index.mul(from, in[dim]), coordinate(place[dim], dim));
  from = index.mul(from, in[last]);

  auto fillRow = [&] { emitFill(builder, loc, value, target, start, length); };
  auto copyRow = [&] {
    int64_t begin = std::clamp<int64_t>(low[last], 0, length);
    int64_t end = std::clamp<int64_t>(low[last] + in[last], begin, length);
    if (begin)
      emitFill(builder, loc, value, target, start, begin);
    if (end > begin)
      emitCopy(builder, loc, source, index.add(from, begin - low[last]), target,
               index.add(start, begin), end - begin);
    if (length > end)
      emitFill(builder, loc, value, target, index.add(start, end),
               length - end);
  };
  auto spreadRow = [&] {
    fillRow();
    index.loop(0, in[last], 1, [&](Value at) {
      Value to = index.add(index.mul(at, interior[last] + 1), low[last]);
      Value fits = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::ult, to, index.constant(length));
      index.branch(fits, [&] {
        Value element =
            memref::LoadOp::create(builder, loc, source, index.add(from, at));
        memref::StoreOp::create(builder, loc, element, target,
                                index.add(start, to));
      });
    });
  };
  auto emitRow = [&] { interior[last] ? spreadRow() : copyRow(); };
  if (inside)
    index.branch(inside, emitRow, fillRow);
  else
    emitRow();
  frame.finish(tiles);
  return success();
}

LogicalResult emitDynamicUpdateSlice(KernelFrame &frame,
                                     kernel::DynamicUpdateSliceOp op) {
  Location loc = op.getLoc();
  OpBuilder &builder = frame.builder;
  IndexBuilder index(builder, loc);
  SmallVector<Extent> whole = trueExtents(typeOf(op.getTarget()));
  SmallVector<Extent> part = trueExtents(typeOf(op.getUpdate()));
  SmallVector<Extent> strides = rowMajorSteps(whole);
  Value source = frame.buffer(op.getUpdate());
  Value target = frame.buffer(op.getResult());

  // A run goes on through dimensions that the update fills.
  unsigned last = whole.size();
  Extent length = 1;
  while (last > 0) {
    --last;
    length = length * part[last];
    if (part[last] != whole[last])
      break;
  }
  ArrayRef<Extent> outer = ArrayRef(part).take_front(last);
  Extent runs = productOf(outer);
  if (runs.bound() == 0 || length.bound() == 0) {
    frame.finish(0);
    return success();
  }
  Value origin = index.constant(0);
  for (auto [dim, start] : llvm::enumerate(op.getStarts())) {
    Value at = memref::LoadOp::create(builder, loc, frame.buffer(start),
                                      index.constant(0));
    bool isUnsigned = elementOf(start).isUnsignedInteger();
    at = isUnsigned ? arith::IndexCastUIOp::create(builder, loc,
                                                   builder.getIndexType(), at)
                          .getResult()
                    : arith::IndexCastOp::create(builder, loc,
                                                 builder.getIndexType(), at)
                          .getResult();
    at = arith::MaxSIOp::create(builder, loc, at, index.constant(0));
    bool isOpen = whole[dim].isSized() || part[dim].isSized();
    Value room = isOpen
                     ? index.sub(index.valueOf(frame.numberOf(whole[dim])),
                                 index.valueOf(frame.numberOf(part[dim])))
                     : index.constant(whole[dim].bound() - part[dim].bound());
    at = arith::MinSIOp::create(builder, loc, at, room);
    origin = index.at(origin, at, frame.numberOf(strides[dim]));
  }
  Extent tiles;
  Value run = enterUnits(
      frame, runs,
      copyCost(frame.machine, elementOf(op.getUpdate()), length.bound()),
      tiles);
  Value to = origin;
  for (auto [at, stride] :
       llvm::zip(indicesAt(frame, index, run, outer), strides))
    to = index.at(to, at, frame.numberOf(stride));
  Number count = frame.numberOf(length);
  emitCopy(builder, loc, source, index.mul(run, count), target, to, count);
  frame.finish(tiles);
  return success();
}

} // namespace heddle
