// kernel.convolution of images whose size a call says. Register tiles are cut
// from the points of all images in a row, so that they are full whatever the
// width of an image is. Each row of a tile reads where its own tap lies, or
// zeros where that is padding.

#include "passes/Kernel/Cpu/SizedConvolution.h"

#include "dialects/Kernel/Factors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Kernel/Cpu/FilterTiles.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/ImagePoints.h"
#include "passes/Kernel/Cpu/RowTiles.h"
#include "passes/Kernel/Cpu/Work.h"

using namespace mlir;

namespace heddle {
namespace {

class SizedConvolutionEmitter {
public:
  SizedConvolutionEmitter(KernelFrame &frame, kernel::ConvolutionOp op,
                          const ConvolutionShape &shape,
                          ConvolutionBuffers buffers)
      : frame(frame), op(op), loc(op.getLoc()), shape(shape),
        index(frame.builder, loc),
        accumulator(cast<RankedTensorType>(op.getType()).getElementType()),
        lanes(accumulatorLanes(accumulator)), input(buffers.input),
        weights(buffers.weights), output(std::move(buffers.output)) {}

  LogicalResult emit();

private:
  /// The output channels of one register tile, `columns` of them in use.
  struct Group {
    Value number;
    int64_t columns;
    int64_t vectors;
  };

  void plan();
  void makeZeros();
  int64_t groupColumns() const { return tileShape.vectors * lanes; }
  LogicalResult emitGroup(const Group &group);
  LogicalResult emitTile(const Group &group, Value first, int64_t height);
  SmallVector<Value> sumUp(RegisterTile &tile, const Group &group,
                           ArrayRef<ImagePoint> points);

  KernelFrame &frame;
  kernel::ConvolutionOp op;
  Location loc;
  const ConvolutionShape &shape;
  IndexBuilder index;
  Type accumulator;
  int64_t lanes;

  TileShape tileShape;
  SizedRows rows;
  ContractionBlocks blocks;
  bool isSmall = false;
  Value input, weights;
  /// What padding reads: a point of zeros. Null where there is no padding.
  Value zeros;
  TileOutput output;
  // Of the grid's current tile.
  Value channelGroup, rowBegin, rowEnd;
};

} // namespace

void SizedConvolutionEmitter::plan() {
  const Machine &machine = frame.machine;
  Extent points = pointsOf(shape);
  tileShape =
      chooseTileShape(machine, points.bound(), shape.groupOutput, lanes);
  tileShape.rows = std::min(tileShape.rows, machine.mostSizedTileRows);
  rows = SizedRows(points, tileShape.rows);
  Type weightElement = op.getWeights().getType().getElementType();
  double outputs = double(points.bound()) * shape.outputChannels();
  Work work;
  work.operations = 2 * outputs * shape.taps() * shape.groupInput;
  work.accumulator = accumulator;
  work.factor = kernel::narrowerFactor(op.getInput().getType().getElementType(),
                                       weightElement);
  expectWork(frame, contractionNanoseconds(machine, work, outputs));
  isSmall = isSmallWork(machine, work);

  ContractionExtents extents;
  extents.outer = shape.groups;
  extents.rows = points.bound();
  extents.columns = shape.groupOutput;
  extents.depth = shape.taps() * shape.groupInput;
  extents.accumulator = accumulator;
  extents.factor = work.factor;
  extents.rhsBytes = llvm::divideCeil(weightElement.getIntOrFloatBitWidth(), 8);
  // Neighbouring windows overlap.
  extents.lhsBytes = 1;
  extents.sizedRows = true;
  blocks =
      chooseBlocks(machine, extents, tileShape, rows.tiles.bound(),
                   llvm::divideCeil(shape.groupOutput, groupColumns()), lanes);
}

void SizedConvolutionEmitter::makeZeros() {
  if (llvm::all_of(shape.spatial,
                   [](const SpatialDim &dim) { return dim.isNeverPadded; }))
    return;
  Type element = cast<MemRefType>(input.getType()).getElementType();
  zeros = frame.allocateScratch(element, shape.groupInput);
  Value zero = arith::ConstantOp::create(frame.builder, loc,
                                         frame.builder.getZeroAttr(element));
  emitFill(frame.builder, loc, zero, zeros, index.constant(0),
           shape.groupInput);
}

LogicalResult SizedConvolutionEmitter::emit() {
  plan();
  makeZeros();
  int64_t groupCount = llvm::divideCeil(shape.groupOutput, groupColumns());
  int64_t columnBlocks = llvm::divideCeil(groupCount, blocks.columnGroups);
  Extent rowBlocks = rows.tiles.ceilDiv(blocks.rowTiles);

  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      indicesAt(frame, index, tile, {shape.groups, columnBlocks, rowBlocks});
  channelGroup = at[0];
  rowBegin = index.mul(at[2], blocks.rowTiles);
  rowEnd = index.min(index.add(rowBegin, blocks.rowTiles),
                     frame.valueOf(rows.tiles));
  Value groupBegin = index.mul(at[1], blocks.columnGroups);
  Value groupEnd = index.min(index.add(groupBegin, blocks.columnGroups),
                             index.constant(groupCount));

  int64_t wholeGroups = shape.groupOutput / groupColumns();
  int64_t tailColumns = shape.groupOutput % groupColumns();
  LogicalResult status = success();
  if (wholeGroups)
    index.loop(
        groupBegin, index.min(groupEnd, index.constant(wholeGroups)), 1,
        [&](Value number) {
          if (failed(emitGroup({number, groupColumns(), tileShape.vectors})))
            status = failure();
        });
  if (tailColumns) {
    Value number = index.constant(wholeGroups);
    int64_t vectors = llvm::divideCeil(tailColumns, lanes);
    index.branch(index.less(number, groupEnd), [&] {
      if (failed(emitGroup({number, tailColumns, vectors})))
        status = failure();
    });
  }
  if (failed(status))
    return failure();
  frame.finish(rowBlocks * (shape.groups * columnBlocks), blocks.chunk);
  return success();
}

LogicalResult SizedConvolutionEmitter::emitGroup(const Group &group) {
  LogicalResult status = success();
  index.loop(rowBegin, rowEnd, 1, [&](Value number) {
    rows.emitTile(index, frame, number, [&](Value first, int64_t height) {
      if (failed(emitTile(group, first, height)))
        status = failure();
    });
  });
  return status;
}

LogicalResult SizedConvolutionEmitter::emitTile(const Group &group, Value first,
                                                int64_t height) {
  SmallVector<ImagePoint> points =
      pointsFrom(frame, index, shape, first, height);
  RegisterTile tile(frame.builder, loc, accumulator, height, group.vectors);
  if (isSmall)
    tile.stepsPerIteration = 1;
  SmallVector<Value> sums = sumUp(tile, group, points);

  TilePlace place;
  for (const ImagePoint &point : points)
    place.points.push_back(point);
  for (auto &point : place.points)
    point.push_back(Value());
  place.coords = place.points.front();
  place.columnDims.push_back(shape.spatial.size() + 1);
  place.columnExtents.push_back(shape.outputChannels());
  place.firstColumn = index.at(index.mul(group.number, groupColumns()),
                               channelGroup, shape.groupOutput);
  place.columns = group.columns;
  return output.store(tile, sums, place);
}

SmallVector<Value> SizedConvolutionEmitter::sumUp(RegisterTile &tile,
                                                  const Group &group,
                                                  ArrayRef<ImagePoint> points) {
  OpBuilder &b = frame.builder;
  TileRhs filter = filterOf(
      frame, index, shape, weights, channelGroup,
      {group.number, groupColumns(), group.columns, group.vectors, lanes});
  Value channel = index.mul(channelGroup, shape.groupInput);
  return emitPointTaps(
      frame, index, shape, points, tile.zeros(),
      [&](const PointTap &tap, ValueRange sums) {
        TileLhs lhs;
        lhs.buffer = input;
        for (auto [offset, inside] : llvm::zip_equal(tap.offsets, tap.inside)) {
          Value start = index.add(offset, channel);
          if (inside)
            start = arith::SelectOp::create(b, loc, inside, start,
                                            index.constant(0));
          lhs.starts.push_back(start);
          if (zeros)
            lhs.buffers.push_back(
                arith::SelectOp::create(b, loc, inside, input, zeros));
        }
        TileRhs rhs = filter;
        rhs.base = index.at(filter.base, tap.tap,
                            shape.groupInput * filter.step.number);
        return tile.accumulate(lhs, rhs, index.constant(0),
                               index.constant(shape.groupInput), sums);
      });
}

LogicalResult emitSizedConvolution(KernelFrame &frame, kernel::ConvolutionOp op,
                                   const ConvolutionShape &shape,
                                   ConvolutionBuffers buffers) {
  return SizedConvolutionEmitter(frame, op, shape, std::move(buffers)).emit();
}

} // namespace heddle
