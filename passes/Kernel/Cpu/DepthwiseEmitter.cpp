// Depthwise convolution: vectors run over channels, a tile is a few output
// columns by one or two vectors, and each tap's weights serve all its columns.

#include "passes/Kernel/Cpu/DepthwiseEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "passes/Kernel/Cpu/DepthwiseTile.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/TapLoops.h"
#include "passes/Kernel/Cpu/Work.h"

using namespace mlir;

namespace heddle {
namespace {

class DepthwiseEmitter : ConvolutionParts {
public:
  using ConvolutionParts::ConvolutionParts;

  LogicalResult emit();

private:
  const SpatialDim &inner() const { return shape.spatial.back(); }
  LogicalResult emitRow(const ChannelGroup &group, ArrayRef<Value> row);
  LogicalResult emitTile(const ChannelGroup &group, ArrayRef<Value> row,
                         const ColumnRun &run, Value first);
  SmallVector<Value> emitTap(const ChannelGroup &group, const TapRun &taps,
                             Value inputBase, Value weightBase,
                             ValueRange sums);
  Value load(Value buffer, Value position, Value mask);

  SmallVector<ColumnRun> runs;
  Value image, imageBase;
};

} // namespace

LogicalResult DepthwiseEmitter::emit() {
  int64_t channels = shape.groups;
  TileShape tileShape =
      chooseTileShape(frame.machine, inner().output, channels, lanes);
  int64_t vectors =
      std::min(tileShape.vectors, frame.machine.panelColumns / logicalLanes);
  // Inputs are vectors here and need registers too: more columns than hide the
  // latency of the multiply-add would take theirs.
  runs = splitColumns(
      inner(), std::min(tileShape.rows, frame.machine.multiplyAddsInFlight));

  int64_t rows = shape.outputRows();
  double rowElements = double(inner().output) * channels;
  Work work = depthwiseRowWork(op, shape);
  int64_t rowsPerTile = chooseChunk(frame.machine, work, rows);
  int64_t rowBlocks = llvm::divideCeil(rows, rowsPerTile);
  double allRows = double(rows) * shape.images.bound();
  work.operations *= allRows;
  expectWork(frame, contractionNanoseconds(frame.machine, work,
                                           rowElements * allRows));

  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      indicesAt(frame, index, tile, {shape.images, rowBlocks});
  image = at[0];
  imageBase = index.mul(image, shape.inputImage());
  Value rowBegin = index.mul(at[1], rowsPerTile);
  Value rowEnd =
      index.min(index.add(rowBegin, rowsPerTile), index.constant(rows));
  SmallVector<int64_t> extents;
  for (const SpatialDim &dim : ArrayRef(shape.spatial).drop_back())
    extents.push_back(dim.output);

  LogicalResult status = success();
  index.loop(rowBegin, rowEnd, 1, [&](Value number) {
    SmallVector<Value> row = index.delinearize(number, extents);
    forEachChannelGroup(index, channels, vectors, lanes,
                        [&](const ChannelGroup &group) {
                          if (failed(emitRow(group, row)))
                            status = failure();
                        });
  });
  if (failed(status))
    return failure();
  frame.finish(shape.images * rowBlocks);
  return success();
}

LogicalResult DepthwiseEmitter::emitRow(const ChannelGroup &group,
                                        ArrayRef<Value> row) {
  LogicalResult status = success();
  for (const ColumnRun &run : runs)
    index.loop(0, run.count, 1, [&](Value number) {
      Value first = index.add(index.mul(number, run.width), run.first);
      if (failed(emitTile(group, row, run, first)))
        status = failure();
    });
  return status;
}

LogicalResult DepthwiseEmitter::emitTile(const ChannelGroup &group,
                                         ArrayRef<Value> row,
                                         const ColumnRun &run, Value first) {
  const SpatialDim &dim = inner();
  RegisterTile tile(frame.builder, loc, accumulator, run.width, group.vectors);
  TapPosition start{index.add(imageBase, group.first), index.constant(0)};
  SmallVector<Value> sums = emitTapLoops(
      index, ArrayRef(shape.spatial).drop_back(), row, start, tile.zeros(),
      [&](TapPosition outer, ValueRange carried) {
        Value inputBase = index.add(
            index.at(outer.input, first, dim.stride * dim.inputStride),
            -dim.padding * dim.inputStride);
        Value weightBase = index.at(group.first, outer.tap,
                                    dim.kernel * shape.outputChannels());
        SmallVector<Value> sums(carried);
        for (const TapRun &taps : run.taps) {
          auto step = [&](Value tap, ValueRange inner) {
            return emitTap(
                group, taps,
                index.at(inputBase, tap, dim.dilation * dim.inputStride),
                index.at(weightBase, tap, shape.outputChannels()), inner);
          };
          if (taps.high - taps.low > mostTapsWrittenOut) {
            sums = index.loop(index.constant(taps.low),
                              index.constant(taps.high), 1, sums, step);
            continue;
          }
          for (int64_t tap = taps.low; tap < taps.high; ++tap)
            sums = step(index.constant(tap), sums);
        }
        return sums;
      });

  return output.store(tile, sums,
                      depthwisePlace(shape, image, row, first, group));
}

Value DepthwiseEmitter::load(Value buffer, Value position, Value mask) {
  return loadChannels(frame.builder, loc, buffer, position, mask, lanes,
                      accumulator);
}

SmallVector<Value> DepthwiseEmitter::emitTap(const ChannelGroup &group,
                                             const TapRun &taps,
                                             Value inputBase, Value weightBase,
                                             ValueRange carried) {
  OpBuilder &builder = frame.builder;
  const SpatialDim &dim = inner();
  SmallVector<Value> sums(carried);
  for (int64_t v = 0; v < group.vectors; ++v) {
    Value mask = tailMask(builder, loc, lanes,
                          std::min(lanes, group.columns - v * lanes));
    Value weight = load(weights, index.add(weightBase, v * lanes), mask);
    for (auto [r, valid] : llvm::enumerate(taps.rows)) {
      if (!valid)
        continue;
      Value point = load(
          input,
          index.add(inputBase, r * dim.stride * dim.inputStride + v * lanes),
          mask);
      Value &sum = sums[r * group.vectors + v];
      sum = multiplyAdd(builder, loc, point, weight, sum);
    }
  }
  return sums;
}

LogicalResult emitDepthwise(KernelFrame &frame, kernel::ConvolutionOp op,
                            const ConvolutionShape &shape,
                            ConvolutionBuffers buffers) {
  return DepthwiseEmitter(frame, op, shape, std::move(buffers)).emit();
}

} // namespace heddle
