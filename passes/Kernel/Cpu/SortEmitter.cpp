// Sorting: a bottom-up merge sort of each row in the worker's scratch memory,
// stable, with any comparator; and the top k of a row. Where only the first few
// entries count, these are kept in order while the row is walked once.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/FirstEntries.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/RegionPayload.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {
namespace {

/// Sorts rows of `extent` entries, each of several columns.
class MergeSort {
public:
  MergeSort(KernelFrame &frame, Location loc, ArrayRef<Type> columns,
            const Extent &extent)
      : frame(frame), builder(frame.builder), loc(loc), index(builder, loc),
        columns(columns), extent(extent) {
    for (Type type : columns) {
      from.push_back(frame.allocateScratch(type, extent));
      to.push_back(frame.allocateScratch(type, extent));
    }
  }

  /// Stores an entry's columns before sorting, and loads them afterwards.
  void put(Value place, ArrayRef<Value> values) {
    LaneBuilder lanes(builder, loc, 0);
    for (auto [buffer, value] : llvm::zip(from, values))
      lanes.store(value, buffer, place);
  }
  SmallVector<Value> get(Value place) { return load(from, place); }

  LogicalResult sort(EntryOrder before);

private:
  SmallVector<Value> load(ArrayRef<Value> buffers, Value place) {
    LaneBuilder lanes(builder, loc, 0);
    SmallVector<Value> values;
    for (auto [buffer, type] : llvm::zip(buffers, columns))
      values.push_back(lanes.load(buffer, type, place).value);
    return values;
  }
  LogicalResult merge(ArrayRef<Value> source, ArrayRef<Value> target,
                      Value begin, Value middle, Value end, EntryOrder before);

  Value passes();

  KernelFrame &frame;
  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  SmallVector<Type> columns;
  Extent extent;
  SmallVector<Value> from, to;
};

/// Merges the sorted [begin, middle) and [middle, end) of `source`.
LogicalResult MergeSort::merge(ArrayRef<Value> source, ArrayRef<Value> target,
                               Value begin, Value middle, Value end,
                               EntryOrder before) {
  LogicalResult status = success();
  auto compare = [&](arith::CmpIPredicate predicate, Value a,
                     Value b) -> Value {
    return arith::CmpIOp::create(builder, loc, predicate, a, b);
  };
  Value lastEntry = extent.isSized()
                        ? index.sub(frame.valueOf(extent), index.constant(1))
                        : index.constant(extent.bound() - 1);
  index.loop(
      begin, end, 1, ValueRange{begin, middle},
      [&](Value out, ValueRange carried) -> SmallVector<Value> {
        Value left = carried[0], right = carried[1];
        // An exhausted side is read, in bounds, and not taken.
        SmallVector<Value> leftEntry = load(source, index.min(left, lastEntry));
        SmallVector<Value> rightEntry =
            load(source, index.min(right, lastEntry));
        FailureOr<Value> rightFirst = before(rightEntry, leftEntry);
        if (failed(rightFirst)) {
          status = failure();
          return {left, right};
        }
        Value leftEmpty = compare(arith::CmpIPredicate::uge, left, middle);
        Value rightLeft = compare(arith::CmpIPredicate::ult, right, end);
        Value takeRight =
            arith::OrIOp::create(builder, loc, leftEmpty, *rightFirst);
        takeRight = arith::AndIOp::create(builder, loc, takeRight, rightLeft);
        LaneBuilder lanes(builder, loc, 0);
        for (auto [buffer, a, b] : llvm::zip(target, leftEntry, rightEntry))
          lanes.store(arith::SelectOp::create(builder, loc, takeRight, b, a),
                      buffer, out);
        Value one = arith::IndexCastUIOp::create(
            builder, loc, builder.getIndexType(), takeRight);
        Value nextRight = arith::AddIOp::create(builder, loc, right, one);
        Value nextLeft =
            arith::SubIOp::create(builder, loc, index.add(left, 1), one);
        return {nextLeft, nextRight};
      });
  return status;
}

/// How often runs are merged until there is one of all entries.
Value MergeSort::passes() {
  int64_t most = llvm::Log2_64_Ceil(std::max<int64_t>(extent.bound(), 1));
  if (!extent.isSized())
    return index.constant(most);
  Value count = index.constant(0);
  for (int64_t pass = 0; pass < most; ++pass) {
    Value isLonger =
        index.less(index.constant(int64_t(1) << pass), frame.valueOf(extent));
    count = index.add(count, arith::IndexCastUIOp::create(
                                 builder, loc, builder.getIndexType(), isLonger)
                                 .getResult());
  }
  return count;
}

LogicalResult MergeSort::sort(EntryOrder before) {
  // Passes with runs of 1, 2, 4, ... entries; the buffers change places.
  LogicalResult status = success();
  SmallVector<Value> buffers(from);
  buffers.append(to);
  unsigned half = from.size();
  SmallVector<Value> sorted = index.loop(
      index.constant(0), passes(), 1, buffers,
      [&](Value pass, ValueRange carried) -> SmallVector<Value> {
        SmallVector<Value> source(carried.take_front(half));
        SmallVector<Value> target(carried.drop_front(half));
        Value width =
            arith::ShLIOp::create(builder, loc, index.constant(1), pass);
        Value two = index.add(width, width);
        Value all = frame.valueOf(extent);
        auto runs =
            scf::ForOp::create(builder, loc, index.constant(0), all, two);
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPoint(runs.getBody()->getTerminator());
        Value begin = runs.getInductionVar();
        Value middle = index.min(index.add(begin, width), all);
        Value end = index.min(index.add(begin, two), all);
        if (failed(merge(source, target, begin, middle, end, before)))
          status = failure();
        target.append(source);
        return target;
      });
  from.assign(sorted.begin(), sorted.begin() + half);
  to.assign(sorted.begin() + half, sorted.end());
  return status;
}

/// Sorts `extent` entries and gives the first `count` of them to `give`, with
/// their places.
LogicalResult emitSorted(
    KernelFrame &frame, Location loc, ArrayRef<Type> columns,
    const Extent &extent, const Extent &count, llvm::function_ref<void()> enter,
    llvm::function_ref<SmallVector<Value>(Value)> entryAt, EntryOrder before,
    llvm::function_ref<void(Value, ArrayRef<Value>)> give) {
  IndexBuilder index(frame.builder, loc);
  auto upTo = [&](const Extent &end, llvm::function_ref<void(Value)> body) {
    index.loop(index.constant(0), frame.valueOf(end), 1, body);
  };
  if (count.known() && FirstEntries::pays(count.bound(), extent.bound())) {
    FirstEntries first(frame, loc, columns, count.bound());
    enter();
    if (failed(first.walk(frame.valueOf(extent), entryAt, before)))
      return failure();
    upTo(count, [&](Value at) { give(at, first.get(at)); });
    return success();
  }
  MergeSort sorter(frame, loc, columns, extent);
  enter();
  upTo(extent, [&](Value at) { sorter.put(at, entryAt(at)); });
  if (failed(sorter.sort(before)))
    return failure();
  upTo(count, [&](Value at) { give(at, sorter.get(at)); });
  return success();
}

/// Nanoseconds for a row.
double sortNanoseconds(const Machine &machine, int64_t extent, int64_t count) {
  double compare = machine.rates.scalarElementNs, move = 2 * compare;
  return FirstEntries::pays(count, extent)
             ? compare * extent + move * count * count
             : move * extent * (1 + llvm::Log2_64_Ceil(extent));
}

} // namespace

LogicalResult emitSort(KernelFrame &frame, kernel::SortOp op) {
  Location loc = op.getLoc();
  IndexBuilder index(frame.builder, loc);
  auto type = cast<RankedTensorType>(op.getInputs()[0].getType());
  SmallVector<Extent> grid = trueExtents(type);
  SmallVector<Extent> strides = rowMajorSteps(grid);
  SmallVector<Type> columns;
  for (Value input : op.getInputs())
    columns.push_back(cast<RankedTensorType>(input.getType()).getElementType());
  if (type.getNumElements() == 0) {
    frame.finish(0);
    return success();
  }
  unsigned dim = op.getDimension();
  Extent extent = grid[dim], stride = strides[dim];
  grid[dim] = 1;
  Extent rows = productOf(grid);
  Extent count = op.getFirst() ? Extent(*op.getFirst()) : extent;
  Extent tiles;
  LaneBuilder lanes(frame.builder, loc, 0);
  Value start;
  auto enter = [&] {
    Value row = enterUnits(
        frame, rows,
        sortNanoseconds(frame.machine, extent.bound(), count.bound()), tiles);
    SmallVector<Value> place = indicesAt(frame, index, row, grid);
    start = index.constant(0);
    for (auto [at, rowStride] : llvm::zip(place, strides))
      start = index.at(start, at, frame.numberOf(rowStride));
  };
  auto entryAt = [&](Value at) {
    SmallVector<Value> entry;
    for (auto [input, column] : llvm::zip(op.getInputs(), columns))
      entry.push_back(lanes
                          .load(frame.buffer(input), column,
                                index.at(start, at, frame.numberOf(stride)))
                          .value);
    return entry;
  };
  auto before = [&](ArrayRef<Value> left,
                    ArrayRef<Value> right) -> FailureOr<Value> {
    SmallVector<LaneValue> arguments;
    for (auto [a, b] : llvm::zip(left, right)) {
      arguments.push_back(a);
      arguments.push_back(b);
    }
    FailureOr<SmallVector<LaneValue>> results =
        emitRegion(lanes, op.getBody().front(), arguments);
    if (failed(results))
      return failure();
    return (*results)[0].value;
  };
  auto give = [&](Value at, ArrayRef<Value> entry) {
    for (auto [output, value] : llvm::zip(op.getOutputs(), entry))
      if (frame.hasBuffer(output)) // else nobody asks for it
        lanes.store(value, frame.buffer(output),
                    index.at(start, at, frame.numberOf(stride)));
  };
  if (failed(emitSorted(frame, loc, columns, extent, count, enter, entryAt,
                        before, give)))
    return failure();
  frame.finish(tiles);
  return success();
}

LogicalResult emitTopK(KernelFrame &frame, kernel::TopKOp op) {
  Location loc = op.getLoc();
  OpBuilder &builder = frame.builder;
  IndexBuilder index(builder, loc);
  auto type = cast<RankedTensorType>(op.getInput().getType());
  auto results = cast<RankedTensorType>(op.getValues().getType());
  auto indexElement =
      cast<RankedTensorType>(op.getIndices().getType()).getElementType();
  SmallVector<Extent> sizes = trueExtents(type);
  Extent extent = sizes.back(), rows = productOf(ArrayRef(sizes).drop_back());
  int64_t k = results.getShape().back();
  if (results.getNumElements() == 0) {
    frame.finish(0);
    return success();
  }
  Type element = type.getElementType();
  Extent tiles;
  LaneBuilder lanes(builder, loc, 0);
  Value row, start;
  auto enter = [&] {
    row = enterUnits(frame, rows,
                     sortNanoseconds(frame.machine, extent.bound(), k), tiles);
    start = index.mul(row, frame.numberOf(extent));
  };
  auto entryAt = [&](Value at) -> SmallVector<Value> {
    Value value =
        lanes.load(frame.buffer(op.getInput()), element, index.add(start, at))
            .value;
    return {value, arith::IndexCastOp::create(builder, loc, indexElement, at)};
  };
  // Stable: of equals the one with the smaller index stays first. Floats are in
  // the total order, but that NaN is largest whatever its sign.
  auto before = [&](ArrayRef<Value> left,
                    ArrayRef<Value> right) -> FailureOr<Value> {
    Value a = left[0], b = right[0];
    if (!isa<FloatType>(element)) {
      auto predicate = element.isInteger(1) ? arith::CmpIPredicate::ugt
                                            : arith::CmpIPredicate::sgt;
      return arith::CmpIOp::create(builder, loc, predicate, a, b).getResult();
    }
    Value greater =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OGT, a, b);
    // 0 before -0, whose bits are the least of all signed numbers.
    Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
    Value equal =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, a, b);
    Value byBits =
        arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                              arith::BitcastOp::create(builder, loc, bits, a),
                              arith::BitcastOp::create(builder, loc, bits, b));
    Value ofZeros = arith::AndIOp::create(builder, loc, equal, byBits);
    greater = arith::OrIOp::create(builder, loc, greater, ofZeros);
    Value leftNan =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, a, a);
    Value rightNumber =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::ORD, b, b);
    Value onlyLeft = arith::AndIOp::create(builder, loc, leftNan, rightNumber);
    return arith::OrIOp::create(builder, loc, greater, onlyLeft).getResult();
  };
  auto give = [&](Value at, ArrayRef<Value> entry) {
    Value out = index.add(index.mul(row, k), at);
    for (auto [output, value] : llvm::zip(op->getResults(), entry))
      if (frame.hasBuffer(output)) // else nobody asks for it
        lanes.store(value, frame.buffer(output), out);
  };
  if (failed(emitSorted(frame, loc, {element, indexElement}, extent, k, enter,
                        entryAt, before, give)))
    return failure();
  frame.finish(tiles);
  return success();
}

} // namespace heddle
