// Windows over everything up to a point (cumulative sums and their like): one
// walk along the dimension that carries what it has so far, in place of a
// window per point.

#include "dialects/Kernel/LinearAccess.h"
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
  Extent outer = 1;
  int64_t steps = 1, inner = 1;
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
  Value last = index.constant(walk.steps - 1);
  auto body = [&](Value step, ValueRange carried) -> SmallVector<Value> {
    Value place = walk.backwards ? index.sub(last, step) : step;
    LaneValue at(index.at(start, place, walk.inner), lanes.lanes ? 1 : 0);
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
  index.loop(index.constant(0), index.constant(walk.steps), 1, ValueRange(accs),
             body);
  return status;
}

LogicalResult ScanEmitter::run() {
  constexpr int64_t width = logicalLanes;
  bool vectors = walk.inner > 1;
  int64_t blocks = vectors ? llvm::divideCeil(walk.inner, width) : 1;
  int64_t whole = vectors ? walk.inner / width : 0;
  Extent tiles;
  Value unit =
      enterUnits(frame, walk.outer * blocks,
                 frame.machine.rates.scalarElementNs * walk.steps, tiles);
  if (!vectors) {
    if (failed(emitLine(LaneBuilder(builder, loc, 0),
                        index.mul(unit, walk.steps))))
      return failure();
    frame.finish(tiles);
    return success();
  }
  Value block = index.rem(unit, blocks);
  Value start =
      index.at(index.mul(index.div(unit, blocks), walk.steps * walk.inner),
               block, width);
  LogicalResult status = success();
  auto emit = [&](Value mask) {
    if (failed(emitLine(LaneBuilder(builder, loc, width, mask), start)))
      status = failure();
  };
  auto emitWhole = [&] { emit({}); };
  auto emitRest = [&] {
    emit(tailMask(builder, loc, width, walk.inner - whole * width));
  };
  if (whole == blocks)
    emitWhole();
  else if (whole == 0)
    emitRest();
  else
    index.branch(index.less(block, index.constant(whole)), emitWhole, emitRest);
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
  if (cast<RankedTensorType>(op.getOutputs()[0].getType()).getShape() != shape)
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
    bool isPlain = window == 1 && low == 0 && high == 0;
    // Only what lies around the walk may be of any number.
    if (all[dim].isSized() && (found || !isPlain))
      return std::nullopt;
    if (isPlain) {
      if (found)
        walk.inner *= extent;
      else
        walk.outer = walk.outer * all[dim];
      continue;
    }
    bool forwards = low == extent - 1 && high == 0;
    bool backwards = low == 0 && high == extent - 1;
    if (found || window != extent || !(forwards || backwards))
      return std::nullopt;
    found = true;
    walk.steps = extent;
    walk.backwards = backwards;
  }
  return found ? std::optional(walk) : std::nullopt;
}

} // namespace

bool isScan(kernel::ReduceWindowOp op) { return walkOf(op).has_value(); }

LogicalResult emitScan(KernelFrame &frame, kernel::ReduceWindowOp op) {
  Walk walk = *walkOf(op);
  if (walk.outer.bound() * walk.steps * walk.inner == 0) {
    frame.finish(0);
    return success();
  }
  return ScanEmitter(frame, op, walk).run();
}

} // namespace heddle
