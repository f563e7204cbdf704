// Windows (pooling): lanes along the last dimension, whether the window moves
// along it or not, as it does not with channels last. Dimensions with holes,
// and very short ones, are walked point after point.

#include "dialects/Kernel/LinearAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/RegionPayload.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {
namespace {

class WindowEmitter {
public:
  WindowEmitter(KernelFrame &frame, kernel::ReduceWindowOp op)
      : frame(frame), op(op), builder(frame.builder), loc(op.getLoc()),
        index(builder, loc),
        inExtents(
            trueExtents(cast<RankedTensorType>(op.getInputs()[0].getType()))),
        outExtents(
            trueExtents(cast<RankedTensorType>(op.getOutputs()[0].getType()))) {
    // One channel behind the image is no dimension to put lanes along.
    while (!outExtents.empty() && outExtents.back().is(1) && lastIsPlain()) {
      inExtents.pop_back();
      outExtents.pop_back();
    }
  }

  LogicalResult run();

private:
  /// Some vectors side by side along the last dimension, or one point.
  struct Block {
    int64_t lanes = 0, vectors = 1, lastCount = 0;
    Value start;
  };

  Number spanOf(unsigned dim, int64_t base);
  LogicalResult emitBlock(ArrayRef<Value> place, const Block &block);
  FailureOr<SmallVector<Value>> walk(unsigned dim, Value position,
                                     ArrayRef<Value> place, const Block &block,
                                     SmallVector<Value> accs);
  FailureOr<SmallVector<Value>> walkLanes(Value position, const Block &block,
                                          SmallVector<Value> accs);
  FailureOr<SmallVector<Value>> emitPoint(Value position, const Block &block,
                                          SmallVector<Value> accs,
                                          Value coordinate = {});
  LaneBuilder lanesOf(const Block &block, int64_t vector) {
    Value mask = block.lanes && vector + 1 == block.vectors
                     ? tailMask(builder, loc, block.lanes, block.lastCount)
                     : Value();
    return LaneBuilder(builder, loc, block.lanes, mask);
  }

  /// Whether the last dimension is walked as it is.
  bool lastIsPlain() {
    unsigned last = inExtents.size() - 1;
    return op.getWindow()[last] == 1 && op.getStrides()[last] == 1 &&
           op.getPadding()[2 * last] == 0 &&
           op.getPadding()[2 * last + 1] == 0 &&
           op.getBaseDilations()[last] == 1;
  }
  /// From one lane to the next along the last dimension of the input.
  int64_t laneStep() { return op.getStrides()[inExtents.size() - 1]; }
  /// Whether lanes can lie along the last dimension: their coordinates are then
  /// compared as 32-bit integers.
  bool lastTakesLanes() {
    constexpr int64_t kShortest = 4, kLongest = int64_t(1) << 28;
    if (outExtents.empty() || outExtents.back().isSized() ||
        inExtents.back().isSized())
      return false;
    if (lastIsPlain())
      return true;
    unsigned last = inExtents.size() - 1;
    return op.getBaseDilations()[last] == 1 &&
           outExtents[last].bound() >= kShortest &&
           inExtents[last].bound() + op.getPadding()[2 * last] < kLongest &&
           outExtents[last].bound() * laneStep() < kLongest &&
           op.getWindow()[last] * op.getWindowDilations()[last] < kLongest;
  }
  Type elementType(unsigned input) {
    return cast<RankedTensorType>(op.getInputs()[input].getType())
        .getElementType();
  }

  KernelFrame &frame;
  kernel::ReduceWindowOp op;
  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
  SmallVector<Extent> inExtents, outExtents;
};

/// How many points the input has along `dim` with the holes between them.
Number WindowEmitter::spanOf(unsigned dim, int64_t base) {
  const Extent &extent = inExtents[dim];
  if (auto number = extent.known())
    return *number ? (*number - 1) * base + 1 : 0;
  Value points = index.mul(frame.valueOf(extent), base);
  return base == 1 ? points
                   : index.max(index.add(points, 1 - base), index.constant(0));
}

/// All inputs at one element of the window. With `coordinate`, that of the
/// first lane in the last dimension, lanes outside of the input keep what they
/// have.
FailureOr<SmallVector<Value>> WindowEmitter::emitPoint(Value position,
                                                       const Block &block,
                                                       SmallVector<Value> accs,
                                                       Value coordinate) {
  unsigned inputs = op.getInputs().size();
  int64_t step = block.lanes ? laneStep() : 0;
  for (int64_t vector = 0; vector < block.vectors; ++vector) {
    LaneBuilder lanes = lanesOf(block, vector);
    int64_t offset = vector * block.lanes * step;
    Value exists;
    if (coordinate) {
      Type i32 = builder.getI32Type();
      Value first = arith::IndexCastOp::create(builder, loc, i32,
                                               index.add(coordinate, offset));
      Value end = arith::ConstantOp::create(
          builder, loc, builder.getI32IntegerAttr(inExtents.back().bound()));
      exists = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                     lanes.materialize(LaneValue(first, step)),
                                     lanes.materialize(end));
      lanes.mask = exists;
    }
    SmallVector<LaneValue> arguments;
    for (unsigned input = 0; input < inputs; ++input)
      arguments.push_back(accs[input * block.vectors + vector]);
    LaneValue at(index.add(position, offset), step);
    for (unsigned input = 0; input < inputs; ++input)
      arguments.push_back(lanes.load(frame.buffer(op.getInputs()[input]),
                                     elementType(input), at));
    FailureOr<SmallVector<LaneValue>> results =
        emitRegion(lanes, op.getBody().front(), arguments);
    if (failed(results))
      return failure();
    for (auto [input, value] : llvm::enumerate(*results)) {
      Value &acc = accs[input * block.vectors + vector];
      Value next = lanes.materialize(value);
      acc =
          exists
              ? Value(arith::SelectOp::create(builder, loc, exists, next, acc))
              : next;
    }
  }
  return accs;
}

/// The elements of the window along the last dimension, with lanes along it.
FailureOr<SmallVector<Value>>
WindowEmitter::walkLanes(Value position, const Block &block,
                         SmallVector<Value> accs) {
  unsigned last = inExtents.size() - 1;
  if (lastIsPlain())
    return emitPoint(index.add(position, block.start), block, std::move(accs));
  int64_t window = op.getWindow()[last], low = op.getPadding()[2 * last];
  int64_t dilation = op.getWindowDilations()[last];
  bool inBounds = low <= 0 && (outExtents[last].bound() - 1) * laneStep() -
                                      low + (window - 1) * dilation <
                                  inExtents[last].bound();
  Value origin = index.add(index.mul(block.start, laneStep()), -low);
  LogicalResult status = success();
  SmallVector<Value> results =
      index.loop(index.constant(0), index.constant(window), 1, ValueRange(accs),
                 [&](Value tap, ValueRange carried) -> SmallVector<Value> {
                   SmallVector<Value> inside(carried);
                   Value at = index.add(origin, index.mul(tap, dilation));
                   auto next = emitPoint(index.add(position, at), block, inside,
                                         inBounds ? Value() : at);
                   status = success(succeeded(status) && succeeded(next));
                   return succeeded(next) ? *next : inside;
                 });
  if (failed(status))
    return failure();
  return results;
}

/// The elements of the window from dimension `dim` on; `position` is that of
/// the coordinates chosen so far.
FailureOr<SmallVector<Value>> WindowEmitter::walk(unsigned dim, Value position,
                                                  ArrayRef<Value> place,
                                                  const Block &block,
                                                  SmallVector<Value> accs) {
  if (dim == inExtents.size())
    return emitPoint(position, block, std::move(accs));
  position = index.mul(position, frame.numberOf(inExtents[dim]));
  if (block.lanes && dim + 1 == inExtents.size())
    return walkLanes(position, block, std::move(accs));

  int64_t window = op.getWindow()[dim], low = op.getPadding()[2 * dim];
  int64_t dilation = op.getWindowDilations()[dim];
  int64_t base = op.getBaseDilations()[dim];
  Value origin = index.add(index.mul(place[dim], op.getStrides()[dim]), -low);
  Number span = spanOf(dim, base);
  int64_t last = (outExtents[dim].bound() - 1) * op.getStrides()[dim] - low +
                 (window - 1) * dilation;
  bool isPlain = window == 1 && low == 0 && op.getStrides()[dim] == 1 &&
                 inExtents[dim] == outExtents[dim];
  bool inBounds = isPlain || (low <= 0 && span.known() && last < *span.known());
  LogicalResult status = success();
  auto body = [&](Value tap, ValueRange carried) -> SmallVector<Value> {
    SmallVector<Value> inside(carried);
    Value at = index.add(origin, index.mul(tap, dilation));
    if (inBounds && base == 1) {
      auto results =
          walk(dim + 1, index.add(position, at), place, block, inside);
      status = success(succeeded(status) && succeeded(results));
      return succeeded(results) ? *results : inside;
    }
    // Padding and holes are stepped over.
    Value exists = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ult, at, index.valueOf(span));
    Value coordinate = at;
    if (base > 1) {
      Value step = index.constant(base);
      Value onElement = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq,
          arith::RemUIOp::create(builder, loc, at, step), index.constant(0));
      exists = arith::AndIOp::create(builder, loc, exists, onElement);
      coordinate = arith::DivUIOp::create(builder, loc, at, step);
    }
    SmallVector<Type> types(ValueRange(inside).getTypes());
    auto branch = scf::IfOp::create(builder, loc, types, exists,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, inside);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto results =
        walk(dim + 1, index.add(position, coordinate), place, block, inside);
    status = success(succeeded(status) && succeeded(results));
    scf::YieldOp::create(builder, loc, succeeded(results) ? *results : inside);
    return SmallVector<Value>(branch.getResults());
  };
  SmallVector<Value> results = index.loop(
      index.constant(0), index.constant(window), 1, ValueRange(accs), body);
  if (failed(status))
    return failure();
  return results;
}

LogicalResult WindowEmitter::emitBlock(ArrayRef<Value> place,
                                       const Block &block) {
  SmallVector<Value> accs;
  for (Value init : op.getInits()) {
    Value scalar = frame.scalar(init);
    if (!scalar)
      return op.emitOpError("starts from a value that the kernel computes");
    Value start = LaneBuilder(builder, loc, block.lanes).materialize(scalar);
    accs.append(block.vectors, start);
  }
  FailureOr<SmallVector<Value>> results =
      walk(0, index.constant(0), place, block, accs);
  if (failed(results))
    return failure();
  Value position = index.constant(0);
  unsigned last = outExtents.size() - 1;
  for (unsigned dim = 0; dim < outExtents.size(); ++dim) {
    position = index.mul(position, frame.numberOf(outExtents[dim]));
    position = index.add(position,
                         block.lanes && dim == last ? block.start : place[dim]);
  }
  for (unsigned output = 0; output < op.getOutputs().size(); ++output) {
    if (!frame.hasBuffer(op.getOutputs()[output]))
      continue; // nobody asks for it
    for (int64_t vector = 0; vector < block.vectors; ++vector) {
      LaneBuilder lanes = lanesOf(block, vector);
      LaneValue at(index.add(position, vector * block.lanes),
                   block.lanes ? 1 : 0);
      lanes.store((*results)[output * block.vectors + vector],
                  frame.buffer(op.getOutputs()[output]), at);
    }
  }
  return success();
}

LogicalResult WindowEmitter::run() {
  Extent elements = productOf(outExtents);
  int64_t taps = 1;
  for (int64_t extent : op.getWindow())
    taps *= extent;
  if (elements.bound() == 0) {
    frame.finish(0);
    return success();
  }
  Extent tiles;
  if (!lastTakesLanes()) {
    Value point =
        enterUnits(frame, elements,
                   frame.machine.rates.scalarElementNs * (taps + 1), tiles);
    SmallVector<Value> place = indicesAt(frame, index, point, outExtents);
    if (failed(emitBlock(place, Block())))
      return failure();
    frame.finish(tiles);
    return success();
  }

  constexpr int64_t lanes = logicalLanes, unroll = 4;
  int64_t channels = outExtents.back().bound();
  Extent rows = productOf(ArrayRef(outExtents).drop_back());
  // A tap is loaded and combined; the result is stored, and addresses move on.
  const MachineRates &rates = frame.machine.rates;
  double load = laneStep() == 1 ? rates.loopOperandNs : rates.gatherNs;
  double vectors = llvm::divideCeil(channels, lanes);
  double cost = vectors * (taps * (load + rates.loopInstructionNs) +
                           rates.loopOperandNs + rates.loopInstructionNs);
  Value row = enterUnits(frame, rows, cost, tiles);
  SmallVector<Value> place =
      indicesAt(frame, index, row, ArrayRef(outExtents).drop_back());
  LogicalResult status = success();
  auto emitBlocks = [&](int64_t begin, int64_t end, int64_t vectors,
                        int64_t lastCount) {
    index.loop(begin, end, vectors * lanes, [&](Value start) {
      Block block;
      block.lanes = lanes;
      block.vectors = vectors;
      block.lastCount = lastCount;
      block.start = start;
      if (failed(emitBlock(place, block)))
        status = failure();
    });
  };
  int64_t wide = channels / (lanes * unroll) * lanes * unroll;
  int64_t rest = channels - wide;
  emitBlocks(0, wide, unroll, lanes);
  if (rest) {
    int64_t vectors = llvm::divideCeil(rest, lanes);
    emitBlocks(wide, channels, vectors, rest - (vectors - 1) * lanes);
  }
  if (failed(status))
    return failure();
  frame.finish(tiles);
  return success();
}

} // namespace

LogicalResult emitReduceWindow(KernelFrame &frame, kernel::ReduceWindowOp op) {
  return isScan(op) ? emitScan(frame, op) : WindowEmitter(frame, op).run();
}

} // namespace heddle
