// Depthwise convolution of images whose size a call says: vectors run over
// channels, a tile is 8, 4, 2 or 1 columns of a row. Most of a tile's taps are
// inside wherever it lies; the few at its ends that need not be are masked.
// Where the input has zeros between its points, tiles are cut from the columns
// of each phase.

#include "passes/Kernel/Cpu/SizedDepthwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/DepthwiseTile.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/TapLoops.h"
#include "passes/Kernel/Cpu/Work.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {
namespace {

class SizedDepthwiseEmitter : ConvolutionParts {
public:
  using ConvolutionParts::ConvolutionParts;

  LogicalResult emit();

private:
  /// `width` columns of a row from `first` on.
  struct Columns {
    Value first;
    int64_t width;
  };

  /// Of the phase whose columns are emitted.
  const SpatialDim &inner() const { return phase.dim; }
  /// The columns of a row that are of the phase.
  LogicalResult emitPhase(const ChannelGroup &group, ArrayRef<Value> row);
  LogicalResult emitTile(const ChannelGroup &group, ArrayRef<Value> row,
                         const Columns &columns);
  /// Tap `tap` of the columns, the first of which reads at `inputBase` of the
  /// row that begins at `rowBase`.
  SmallVector<Value> emitTap(const ChannelGroup &group, const Columns &columns,
                             Value tap, Value rowBase, Value inputBase,
                             Value weightBase, ValueRange sums);
  bool mayBePadding(int64_t column, int64_t width, int64_t tap);
  /// Whether the tap of a column is inside; null where it always is.
  Value isInside(const Columns &columns, int64_t column, Value tap);
  Value load(Value buffer, Value position, Value mask);

  int64_t widest = 1, vectors = 1;
  ColumnPhase phase;
  Value image, imageBase;
};

} // namespace

LogicalResult SizedDepthwiseEmitter::emit() {
  int64_t channels = shape.groups;
  SmallVector<ColumnPhase> phases = columnPhases(shape.spatial.back());
  // The first phase has the most columns.
  phase = phases.front();
  const Machine &machine = frame.machine;
  TileShape tileShape =
      chooseTileShape(machine, inner().output, channels, lanes);
  vectors = std::min(tileShape.vectors, machine.panelColumns / logicalLanes);
  widest = llvm::bit_floor<uint64_t>(
      std::min(tileShape.rows, machine.multiplyAddsInFlight));

  Extent outer = productOf(ArrayRef(shape.outputs).drop_back());
  Extent rows = shape.images * outer;
  double rowElements = double(shape.spatial.back().output) * channels;
  Work work = depthwiseRowWork(op, shape);
  int64_t rowsPerTile = chooseChunk(machine, work, outer.bound());
  work.operations *= rows.bound();
  expectWork(frame,
             contractionNanoseconds(machine, work, rowElements * rows.bound()));

  Value tile = frame.enterTileLoop();
  Value rowBegin = index.mul(tile, rowsPerTile);
  Value rowEnd =
      index.min(index.add(rowBegin, rowsPerTile), frame.valueOf(rows));
  SmallVector<Extent> extents = {shape.images};
  llvm::append_range(extents, ArrayRef(shape.outputs).drop_back());
  Extent imageSize = shape.inputStrides.front() * shape.inputs.front();

  LogicalResult status = success();
  index.loop(rowBegin, rowEnd, 1, [&](Value number) {
    SmallVector<Value> row = indicesAt(frame, index, number, extents);
    image = row.front();
    imageBase = index.mul(image, frame.numberOf(imageSize));
    row.erase(row.begin());
    forEachChannelGroup(index, channels, vectors, lanes,
                        [&](const ChannelGroup &group) {
                          for (const ColumnPhase &each : phases) {
                            phase = each;
                            if (failed(emitPhase(group, row)))
                              status = failure();
                          }
                        });
  });
  if (failed(status))
    return failure();
  frame.finish(rows.ceilDiv(rowsPerTile));
  return success();
}

LogicalResult SizedDepthwiseEmitter::emitPhase(const ChannelGroup &group,
                                               ArrayRef<Value> row) {
  LogicalResult status = success();
  auto emit = [&](Value first, int64_t width) {
    if (failed(emitTile(group, row, {first, width})))
      status = failure();
  };
  const Extent &all = shape.outputs.back();
  Value columns =
      index.div(index.add(frame.valueOf(all), phase.spacing - 1 - phase.first),
                phase.spacing);
  Value rest = index.rem(columns, widest);
  Value first = index.sub(columns, rest);
  index.loop(index.constant(0), first, widest,
             [&](Value column) { emit(column, widest); });
  int64_t divisor = frame.divisor(all);
  divisor = divisor % phase.spacing ? 1 : divisor / phase.spacing;
  for (int64_t width = widest / 2; width > 0; width /= 2) {
    if (divisor % (2 * width) == 0)
      break;
    // The rest is less than twice the width.
    Value isTaken =
        arith::CmpIOp::create(frame.builder, loc, arith::CmpIPredicate::uge,
                              rest, index.constant(width));
    index.branch(isTaken, [&] { emit(first, width); });
    Value taken = arith::SelectOp::create(
        frame.builder, loc, isTaken, index.constant(width), index.constant(0));
    first = index.add(first, taken);
    rest = index.sub(rest, taken);
  }
  return status;
}

LogicalResult SizedDepthwiseEmitter::emitTile(const ChannelGroup &group,
                                              ArrayRef<Value> row,
                                              const Columns &columns) {
  const SpatialDim &dim = inner();
  RegisterTile tile(frame.builder, loc, accumulator, columns.width,
                    group.vectors);
  TapPosition start{index.add(imageBase, group.first), index.constant(0)};
  SmallVector<TapDim> dims;
  for (unsigned i = 0; i + 1 < shape.spatial.size(); ++i)
    dims.emplace_back(shape.spatial[i], frame.numberOf(shape.inputs[i]),
                      frame.numberOf(shape.inputStrides[i]));
  SmallVector<Value> sums = emitTapLoops(
      index, dims, row, start, tile.zeros(),
      [&](TapPosition outer, ValueRange carried) {
        Value inputBase = index.add(
            index.at(outer.input, columns.first, dim.stride * dim.inputStride),
            -dim.padding * dim.inputStride);
        int64_t filters = shape.outputChannels();
        Value weightBase =
            index.add(index.at(group.first, outer.tap,
                               shape.spatial.back().kernel * filters),
                      phase.firstTap * filters);
        auto step = [&](Value tap, ValueRange inner) {
          return emitTap(
              group, columns, tap, outer.input,
              index.at(inputBase, tap, dim.dilation * dim.inputStride),
              index.at(weightBase, tap, phase.tapSpacing * filters), inner);
        };
        if (dim.kernel > mostTapsWrittenOut)
          return index.loop(index.constant(0), index.constant(dim.kernel), 1,
                            carried, step);
        SmallVector<Value> sums(carried);
        for (int64_t tap = 0; tap < dim.kernel; ++tap)
          sums = step(index.constant(tap), sums);
        return sums;
      });

  Value first = index.add(index.mul(columns.first, phase.spacing), phase.first);
  TilePlace place = depthwisePlace(shape, image, row, first, group);
  place.rowStep = phase.spacing;
  return output.store(tile, sums, place);
}

/// Whether there is a place of the tile at which a column's tap is none of the
/// input's points: columns before it keep it from the left border, those behind
/// it from the right one.
bool SizedDepthwiseEmitter::mayBePadding(int64_t column, int64_t width,
                                         int64_t tap) {
  const SpatialDim &dim = inner();
  int64_t left = column * dim.stride + tap * dim.dilation;
  int64_t right =
      (width - 1 - column) * dim.stride + (dim.kernel - 1 - tap) * dim.dilation;
  // Zeros behind the last point are padding, too.
  int64_t behind = llvm::divideCeil(op.getPadding().back(),
                                    shape.spatial.back().inputDilation);
  return left < dim.padding || right < behind;
}

Value SizedDepthwiseEmitter::isInside(const Columns &columns, int64_t column,
                                      Value tap) {
  const SpatialDim &dim = inner();
  int64_t first = 0, last = dim.kernel - 1;
  if (std::optional<int64_t> known = getConstantIntValue(tap))
    first = last = *known;
  bool may = false;
  for (int64_t each = first; each <= last; ++each)
    may |= mayBePadding(column, columns.width, each);
  if (!may)
    return {};
  Value at = index.add(
      index.at(index.mul(columns.first, dim.stride), tap, dim.dilation),
      column * dim.stride - dim.padding);
  return arith::CmpIOp::create(frame.builder, loc, arith::CmpIPredicate::ult,
                               at, frame.valueOf(shape.inputs.back()));
}

Value SizedDepthwiseEmitter::load(Value buffer, Value position, Value mask) {
  return loadChannels(frame.builder, loc, buffer, position, mask, lanes,
                      accumulator);
}

SmallVector<Value> SizedDepthwiseEmitter::emitTap(
    const ChannelGroup &group, const Columns &columns, Value tap, Value rowBase,
    Value inputBase, Value weightBase, ValueRange carried) {
  OpBuilder &builder = frame.builder;
  const SpatialDim &dim = inner();
  auto maskType = VectorType::get({lanes}, builder.getI1Type());
  SmallVector<Value> inside;
  for (int64_t column = 0; column < columns.width; ++column)
    inside.push_back(isInside(columns, column, tap));
  SmallVector<Value> sums(carried);
  for (int64_t v = 0; v < group.vectors; ++v) {
    Value tail = tailMask(builder, loc, lanes,
                          std::min(lanes, group.columns - v * lanes));
    Value weight = load(weights, index.add(weightBase, v * lanes), tail);
    for (int64_t column = 0; column < columns.width; ++column) {
      Value mask = tail;
      Value at = index.add(inputBase, column * dim.stride * dim.inputStride);
      if (inside[column]) {
        mask =
            vector::BroadcastOp::create(builder, loc, maskType, inside[column]);
        if (tail)
          mask = arith::AndIOp::create(builder, loc, mask, tail);
        // What is masked may be on no page, where processors take hundreds of
        // times as long to find out that nothing is read.
        at = arith::SelectOp::create(builder, loc, inside[column], at, rowBase);
      }
      Value point = load(input, index.add(at, v * lanes), mask);
      Value &sum = sums[column * group.vectors + v];
      sum = multiplyAdd(builder, loc, point, weight, sum);
    }
  }
  return sums;
}

LogicalResult emitSizedDepthwise(KernelFrame &frame, kernel::ConvolutionOp op,
                                 const ConvolutionShape &shape,
                                 ConvolutionBuffers buffers) {
  return SizedDepthwiseEmitter(frame, op, shape, std::move(buffers)).emit();
}

} // namespace heddle
