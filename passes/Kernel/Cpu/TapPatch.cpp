// Emits copies of runs of taps, under masks where an image's border may cut
// them.

#include "passes/Kernel/Cpu/TapPatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/Lanes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {

std::optional<TapPatch> TapPatch::create(KernelFrame &frame,
                                         const ConvolutionShape &shape,
                                         Value input, int64_t rows) {
  const SpatialDim &inner = shape.spatial.back();
  bool isRun = shape.groups == 1 && shape.isDense() && inner.dilation == 1 &&
               inner.kernel > 1;
  int64_t depth = shape.taps() * shape.groupInput;
  TapPatch patch(frame, shape, input);
  patch.pitch = llvm::alignTo(depth, logicalLanes) + logicalLanes;
  Type element = cast<MemRefType>(input.getType()).getElementType();
  int64_t bytes = llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
  if (!isRun || shape.groupInput >= frame.machine.channelsWorthAddresses ||
      rows * patch.pitch * bytes > frame.machine.l1Bytes / 2)
    return std::nullopt;
  patch.buffer = frame.allocateScratch(element, rows * patch.pitch);
  return patch;
}

int64_t TapPatch::vectors() const {
  return llvm::divideCeil(length(), logicalLanes);
}

TileLhs TapPatch::rows(IndexBuilder &index, int64_t rows) const {
  TileLhs lhs;
  lhs.buffer = buffer;
  lhs.base = index.constant(0);
  lhs.setRows(index, rows, pitch);
  return lhs;
}

TapPatch::Run TapPatch::runOf(IndexBuilder &index, Value column) const {
  OpBuilder &b = index.builder;
  Location loc = index.loc;
  constexpr int64_t width = logicalLanes;
  int64_t channels = shape.groupInput;
  Value first = index.add(index.mul(column, inner().stride), -inner().padding);
  Run run;
  run.start = index.mul(first, channels);
  if (inner().isNeverPadded) {
    for (int64_t v = 0; v < vectors(); ++v)
      run.masks.push_back(tailMask(b, loc, width, length() - v * width));
    return run;
  }
  Value end = index.valueOf(frame.numberOf(shape.inputs.back()));
  Value low =
      index.mul(index.max(index.mul(first, -1), index.constant(0)), channels);
  Value high = index.min(index.mul(index.sub(end, first), channels),
                         index.constant(length()));
  for (int64_t v = 0; v < vectors(); ++v) {
    Value before = countMask(b, loc, width, index.add(low, -v * width));
    Value upTo = countMask(b, loc, width, index.add(high, -v * width));
    Value all = arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<ShapedType>(before.getType()), true));
    Value behind = arith::XOrIOp::create(b, loc, before, all);
    run.masks.push_back(arith::AndIOp::create(b, loc, upTo, behind));
  }
  return run;
}

void TapPatch::copy(IndexBuilder &index, const Run &run, Value from,
                    Value inside, Value to) const {
  OpBuilder &b = index.builder;
  Location loc = index.loc;
  constexpr int64_t width = logicalLanes;
  auto type = VectorType::get(
      {width}, cast<MemRefType>(input.getType()).getElementType());
  if (inside) {
    // What is masked may be on no page, where processors take long.
    from = arith::SelectOp::create(b, loc, inside, from, index.constant(0));
    inside = vector::BroadcastOp::create(
        b, loc, VectorType::get({width}, b.getI1Type()), inside);
  }
  for (auto [v, mask] : llvm::enumerate(run.masks)) {
    Value present = mask && inside
                        ? Value(arith::AndIOp::create(b, loc, mask, inside))
                    : mask ? mask
                           : inside;
    Value at = index.add(from, v * width), loaded;
    if (present) {
      Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
      loaded =
          vector::MaskedLoadOp::create(b, loc, type, input, at, present, zero);
    } else {
      loaded = vector::LoadOp::create(b, loc, type, input, at);
    }
    vector::StoreOp::create(b, loc, loaded, buffer, index.add(to, v * width));
  }
}

void TapPatch::gather(IndexBuilder &index, const PhasePoints &phase,
                      ArrayRef<ImagePoint> points) {
  SmallVector<Run> runs =
      llvm::map_to_vector(points, [&](const ImagePoint &point) {
        return runOf(index, point.back());
      });
  emitPointTaps(frame, index, shape, phase, points, shape.spatial.size() - 1,
                {}, [&](const PointTap &tap, ValueRange) {
                  // What is stored beyond a run, the next one covers.
                  Value to = index.mul(tap.tap, length());
                  for (auto [row, run] : llvm::enumerate(runs))
                    copy(index, run, index.add(tap.offsets[row], run.start),
                         tap.inside[row], index.add(to, row * pitch));
                  return SmallVector<Value>();
                });
}

} // namespace heddle
