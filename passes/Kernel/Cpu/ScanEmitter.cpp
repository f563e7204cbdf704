// Windows over everything up to a point (cumulative sums and their like): one
// walk along the dimension that carries what it has so far, in place of a
// window per point.

#include "dialects/Size/SizedTypes.h"
#include "passes/Kernel/Cpu/Emitters.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/IndexBuilder.h"
#include "passes/Kernel/Cpu/RegionPayload.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {
namespace {

/// The walk, as extents of what lies around the dimension.
struct Walk {
  Extent outer = 1, steps = 1, inner = 1;
  bool backwards = false;
};

class ScanEmitter {
public:
  ScanEmitter(KernelFrame &frame, kernel::ReduceWindowOp op, Walk walk)
      : frame(frame), op(op), walk(walk), builder(frame.builder),
        loc(op.getLoc()), index(builder, loc) {}

  LogicalResult run();

private:
  LogicalResult emitLine(LaneBuilder lanes, Value start);
  Type elementType(unsigned input) {
    return cast<RankedTensorType>(op.getInputs()[input].getType())
        .getElementType();
  }

  KernelFrame &frame;
  kernel::ReduceWindowOp op;
  Walk walk;
  OpBuilder &builder;
  Location loc;
  IndexBuilder index;
};

/// One line, or a vector of lines beside each other.
LogicalResult ScanEmitter::emitLine(LaneBuilder lanes, Value start) {
  unsigned inputs = op.getInputs().size();
  SmallVector<Value> accs;
  for (Value init : op.getInits()) {
    Value scalar = frame.scalar(init);
    if (!scalar)
      return op.emitOpError("starts from a value that the kernel computes");
    accs.push_back(lanes.materialize(scalar));
  }
  LogicalResult status = success();
  Value last = walk.steps.isSized()
                   ? index.sub(frame.valueOf(walk.steps), index.constant(1))
                   : index.constant(walk.steps.bound() - 1);
  auto body = [&](Value step, ValueRange carried) -> SmallVector<Value> {
    Value place = walk.backwards ? index.sub(last, step) : step;
    LaneValue at(index.at(start, place, frame.numberOf(walk.inner)),
                 lanes.lanes ? 1 : 0);
    // Operands stay in the order of the points.
    SmallVector<LaneValue> soFar(carried), here;
    for (unsigned input = 0; input < inputs; ++input)
      here.push_back(lanes.load(frame.buffer(op.getInputs()[input]),
                                elementType(input), at));
    SmallVector<LaneValue> arguments(walk.backwards ? here : soFar);
    arguments.append(walk.backwards ? soFar : here);
    FailureOr<SmallVector<LaneValue>> results =
        emitRegion(lanes, op.getBody().front(), arguments);
    if (failed(results)) {
      status = failure();
      return SmallVector<Value>(carried);
    }
    SmallVector<Value> values;
    for (auto [output, value] : llvm::zip(op.getOutputs(), *results)) {
      values.push_back(lanes.materialize(value));
      if (frame.hasBuffer(output)) // else nobody asks for it
        lanes.store(values.back(), frame.buffer(output), at);
    }
    return values;
  };
  index.loop(index.constant(0), frame.valueOf(walk.steps), 1, ValueRange(accs),
             body);
  return status;
}

LogicalResult ScanEmitter::run() {
  constexpr int64_t width = logicalLanes;
  bool vectors = !walk.inner.is(1);
  Extent blocks = vectors ? walk.inner.ceilDiv(width) : Extent(1);
  Extent tiles;
  Value unit = enterUnits(
      frame, walk.outer * blocks,
      frame.machine.rates.scalarElementNs * walk.steps.bound(), tiles);
  if (!vectors) {
    if (failed(emitLine(LaneBuilder(builder, loc, 0),
                        index.mul(unit, frame.numberOf(walk.steps)))))
      return failure();
    frame.finish(tiles);
    return success();
  }
  Number count = frame.numberOf(blocks);
  Value block = index.rem(unit, count);
  Value first = index.mul(block, width);
  Value start = index.add(index.mul(index.div(unit, count),
                                    frame.numberOf(walk.steps * walk.inner)),
                          first);
  LogicalResult status = success();
  auto emit = [&](Value mask) {
    if (failed(emitLine(LaneBuilder(builder, loc, width, mask), start)))
      status = failure();
  };
  auto emitWhole = [&] { emit({}); };
  auto emitRest = [&] {
    emit(walk.inner.isSized()
             ? countMask(builder, loc, width,
                         index.sub(frame.valueOf(walk.inner), first))
             : tailMask(builder, loc, width, walk.inner.bound() % width));
  };
  if (walk.inner.isMultipleOf(width))
    emitWhole();
  else if (walk.inner.bound() < width)
    emitRest();
  else
    index.branch(
        index.less(index.add(first, width - 1), frame.valueOf(walk.inner)),
        emitWhole, emitRest);
  if (failed(status))
    return failure();
  frame.finish(tiles);
  return success();
}

/// The walk that computes the windows, if they end (or begin) at their point
/// and reach over all before (or behind) it.
std::optional<Walk> walkOf(kernel::ReduceWindowOp op) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(op.getInputs()[0].getType()).getShape();
  if (!size::haveSameSizes(cast<RankedTensorType>(op.getOutputs()[0].getType()),
                           cast<RankedTensorType>(op.getInputs()[0].getType())))
    return std::nullopt;
  SmallVector<Extent> all =
      trueExtents(cast<RankedTensorType>(op.getInputs()[0].getType()));
  Walk walk;
  bool found = false;
  for (auto [dim, extent] : llvm::enumerate(shape)) {
    int64_t low = op.getPadding()[2 * dim], high = op.getPadding()[2 * dim + 1];
    if (op.getStrides()[dim] != 1 || op.getBaseDilations()[dim] != 1 ||
        op.getWindowDilations()[dim] != 1)
      return std::nullopt;
    int64_t window = op.getWindow()[dim];
    if (window == 1 && low == 0 && high == 0) {
      if (found)
        walk.inner = walk.inner * all[dim];
      else
        walk.outer = walk.outer * all[dim];
      continue;
    }
    bool forwards = low == extent - 1 && high == 0;
    bool backwards = low == 0 && high == extent - 1;
    if (found || window != extent || !(forwards || backwards))
      return std::nullopt;
    found = true;
    walk.steps = all[dim];
    walk.backwards = backwards;
  }
  return found ? std::optional(walk) : std::nullopt;
}

} // namespace

bool isScan(kernel::ReduceWindowOp op) { return walkOf(op).has_value(); }

LogicalResult emitScan(KernelFrame &frame, kernel::ReduceWindowOp op) {
  Walk walk = *walkOf(op);
  if ((walk.outer * walk.steps * walk.inner).bound() == 0) {
    frame.finish(0);
    return success();
  }
  return ScanEmitter(frame, op, walk).run();
}

} // namespace heddle
