// kernel.convolution of images whose size a call says. Register tiles are cut
// from the points of all images in a row, so that they are full whatever the
// width of an image is. Each row of a tile reads where its own tap lies, or
// zeros where that is padding. Of few channels all taps of a tile are gathered
// first, in runs of those next to each other. Where the input has zeros between
// its points, a tile is cut from the points of one phase, which meet the same
// taps.

#include "passes/Kernel/Cpu/SizedConvolution.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "passes/Kernel/Cpu/ConvolutionWork.h"
#include "passes/Kernel/Cpu/FilterTiles.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/ImagePoints.h"
#include "passes/Kernel/Cpu/RowTiles.h"
#include "passes/Kernel/Cpu/TapPatch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace heddle {
namespace {

class SizedConvolutionEmitter : ConvolutionParts {
public:
  SizedConvolutionEmitter(KernelFrame &frame, kernel::ConvolutionOp op,
                          const ConvolutionShape &shape,
                          ConvolutionBuffers buffers)
      : ConvolutionParts(frame, op, shape, std::move(buffers)),
        phases(frame, shape) {}

  LogicalResult emit();

private:
  void plan();
  void makeZeros();
  int64_t groupColumns() const { return tileShape.vectors * lanes; }
  void forEachTile(llvm::function_ref<void(const SizedTile &)> body);
  /// Of `points` only the first `count` are stored, if it is any.
  LogicalResult emitTile(const FilterColumns &group,
                         ArrayRef<ImagePoint> points, Value count);
  /// Where the columns of `group` of `points` are in the result.
  TilePlace placeOf(const FilterColumns &group, ArrayRef<ImagePoint> points,
                    Value count);
  SmallVector<Value> sumUp(RegisterTile &tile, const FilterColumns &group,
                           ArrayRef<ImagePoint> points);

  PointPhases phases;

  TileShape tileShape;
  SizedRows rows;
  ContractionBlocks blocks;
  bool isSmall = false;
  /// What padding reads: a point of zeros. Null where there is no padding.
  Value zeros;
  /// Where a tile's taps are gathered, if they are not read where they lie.
  std::optional<TapPatch> patch;
  // Of the grid's current tile.
  Value channelGroup, rowBegin, rowEnd;
  PhasePoints phase;
  SizedRows phaseRows;
};

} // namespace

void SizedConvolutionEmitter::plan() {
  const Machine &machine = frame.machine;
  Extent points = phases.mostPoints();
  tileShape =
      chooseTileShape(machine, points.bound(), shape.groupOutput, lanes);
  tileShape.rows = std::min(tileShape.rows, machine.mostSizedTileRows);
  rows =
      SizedRows(points, tileShape.rows, phases.leastPoints(), phases.divisor());
  // All phases together meet as many taps as there are.
  double outputs = double(points.bound()) * shape.outputChannels();
  Work work = convolutionWork(op, shape, outputs);
  expectWork(frame, contractionNanoseconds(machine, work, outputs));
  isSmall = isSmallWork(machine, work);

  ContractionExtents extents =
      convolutionExtents(op, shape, shape.groups, points.bound());
  extents.outer *= phases.count();
  extents.depth = llvm::divideCeil(extents.depth, phases.count());
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
  if (auto made = TapPatch::create(frame, shape, input, tileShape.rows))
    patch.emplace(*made);
  else
    makeZeros();
  int64_t groupCount = llvm::divideCeil(shape.groupOutput, groupColumns());
  int64_t columnBlocks = llvm::divideCeil(groupCount, blocks.columnGroups);
  Extent rowBlocks = rows.tiles.ceilDiv(blocks.rowTiles);

  SmallVector<Extent> grid = {shape.groups, columnBlocks};
  llvm::append_range(grid, phases.counts());
  grid.push_back(rowBlocks);

  SmallVector<Value> at = indicesAt(frame, index, frame.enterTileLoop(), grid);
  channelGroup = at[0];
  phase = phases.at(index, ArrayRef(at).drop_front(2).drop_back());
  Value points = phases.countOf(index, phase);
  phaseRows = points ? rows.part(index, points) : rows;
  rowBegin = index.mul(at.back(), blocks.rowTiles);
  rowEnd = index.min(index.add(rowBegin, blocks.rowTiles),
                     phaseRows.tileCount(index, frame));
  Value groupBegin = index.mul(at[1], blocks.columnGroups);
  Value groupEnd = index.min(index.add(groupBegin, blocks.columnGroups),
                             index.constant(groupCount));

  LogicalResult status = success();
  auto emit = [&](const FilterColumns &group, ArrayRef<ImagePoint> points,
                  Value count) {
    if (failed(emitTile(group, points, count)))
      status = failure();
  };
  auto forEachGroup = [&](function_ref<void(const FilterColumns &)> body) {
    forEachFilterTile(index, shape, tileShape.vectors, lanes, groupBegin,
                      groupEnd, /*isAll=*/columnBlocks == 1, body);
  };
  auto pointsAt = [&](const SizedTile &tile) {
    return phase.from(index, tile.first, tile.height, tile.count);
  };
  if (patch)
    forEachTile([&](const SizedTile &tile) {
      SmallVector<ImagePoint> points = pointsAt(tile);
      patch->gather(index, phase, points);
      forEachGroup(
          [&](const FilterColumns &group) { emit(group, points, tile.count); });
    });
  else
    forEachGroup([&](const FilterColumns &group) {
      forEachTile([&](const SizedTile &tile) {
        emit(group, pointsAt(tile), tile.count);
      });
    });
  if (failed(status))
    return failure();
  frame.finish(productOf(grid), blocks.chunk);
  return success();
}

void SizedConvolutionEmitter::forEachTile(
    function_ref<void(const SizedTile &)> body) {
  index.loop(rowBegin, rowEnd, 1, [&](Value number) {
    phaseRows.emitTile(index, frame, number, body);
  });
}

LogicalResult SizedConvolutionEmitter::emitTile(const FilterColumns &group,
                                                ArrayRef<ImagePoint> points,
                                                Value count) {
  RegisterTile tile(frame.builder, loc, accumulator, points.size(),
                    group.vectors);
  if (isSmall)
    tile.stepsPerIteration = 1;
  SmallVector<Value> sums = sumUp(tile, group, points);

  return output.store(tile, sums, placeOf(group, points, count));
}

TilePlace SizedConvolutionEmitter::placeOf(const FilterColumns &group,
                                           ArrayRef<ImagePoint> points,
                                           Value count) {
  TilePlace place;
  for (const ImagePoint &point : points) {
    place.points.push_back(phase.placeOf(index, point));
    place.points.back().push_back(Value());
  }
  place.coords = place.points.front();
  place.columnDims.push_back(shape.spatial.size() + 1);
  place.columnExtents.push_back(shape.outputChannels());
  place.firstColumn = index.at(index.mul(group.number, groupColumns()),
                               channelGroup, shape.groupOutput);
  place.columns = group.columns;
  place.rows = count;
  return place;
}

SmallVector<Value> SizedConvolutionEmitter::sumUp(RegisterTile &tile,
                                                  const FilterColumns &group,
                                                  ArrayRef<ImagePoint> points) {
  OpBuilder &b = frame.builder;
  TileRhs filter = filterOf(frame, index, shape, weights, channelGroup, group);
  if (patch)
    return tile.accumulate(
        patch->rows(index, points.size()), filter, index.constant(0),
        index.constant(shape.taps() * shape.groupInput), tile.zeros());
  Value channel = index.mul(channelGroup, shape.groupInput);
  return emitPointTaps(
      frame, index, shape, phase, points, shape.spatial.size(), tile.zeros(),
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
