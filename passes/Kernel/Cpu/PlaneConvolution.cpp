// kernel.convolution where a machine has registers that hold matrices. A block
// of sums is 32 consecutive positions of the input's planes by a panel of 32
// output channels, in four such registers. Each step multiplies the channels of
// one tap, or of a row of taps where these follow each other, of which both
// operands are read where they lie: points in the planes, a filter as it is
// stored. Finished sums go through memory to the epilogue, without those of
// positions that are no results.

#include "passes/Kernel/Cpu/PlaneConvolution.h"

#include "dialects/Kernel/MatrixPlanes.h"
#include "passes/Kernel/Cpu/ConvolutionWork.h"
#include "passes/Kernel/Cpu/FilterTiles.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/ImagePlanes.h"
#include "passes/Kernel/Cpu/MatrixTile.h"

using namespace mlir;

namespace heddle {
namespace {

/// Rows of one matrix register, and of a block; columns of a block, in
/// registers.
constexpr int64_t kRows = matrixRegisterRows, kBlockRows = 2 * kRows;
constexpr int64_t kBlockVectors = 2;

class PlaneConvolutionEmitter : ConvolutionParts {
public:
  using ConvolutionParts::ConvolutionParts;

  LogicalResult emit();

private:
  void plan();
  ContractionBlocks chooseRows() const;
  MatrixTile tileOf(const FilterColumns &group, int64_t height) {
    return MatrixTile(frame.builder, loc, frame.machine, accumulator,
                      height / kRows, group.vectors);
  }
  LogicalResult emitGroup(const FilterColumns &group);
  /// Sums of `height` positions from `position` on, in memory.
  void sumUp(const FilterColumns &group, Value position, int64_t height);
  /// Stores those from `begin` up to `end`.
  LogicalResult store(const FilterColumns &group, Value position, Value begin,
                      Value end);

  ContractionBlocks blocks;
  kernel::WindowRun run;
  std::optional<ImagePlanes> planes;
  /// Where sums rest until they are stored, of one block; and what configures
  /// registers.
  Value sums, configuration;
  // Of the grid's current tile.
  Value image, channelGroup, rowBegin, rowEnd;
};

} // namespace

void PlaneConvolutionEmitter::plan() {
  const Machine &machine = frame.machine;
  int64_t width = shape.spatial.back().output, rows = shape.outputRows();
  double outputs =
      double(shape.images.bound()) * rows * width * shape.outputChannels();
  Work work = convolutionWork(op, shape, outputs);
  expectWork(frame, contractionNanoseconds(machine, work, outputs));
  run = kernel::WindowRun::of(op, matrixSteps);
  planes.emplace(shape, input, kBlockRows);
  blocks = chooseRows();
  planes->allocate(frame, blocks.rowTiles);
}

ContractionBlocks PlaneConvolutionEmitter::chooseRows() const {
  const Machine &machine = frame.machine;
  int64_t rows = shape.outputRows(), width = kBlockVectors * lanes;
  int64_t groups = llvm::divideCeil(shape.groupOutput, width);
  int64_t pieces = shape.expectedImages() * shape.groups;
  double depth = shape.taps() * shape.tapSteps();
  // A row of the image by a panel of the filter.
  double rowUs =
      2 * depth * planes->pitch() * width / machine.rates.flopsPerUsMatrix;
  double wantedUs = pieceUs(machine, rowUs * rows * groups * pieces);

  // Enough rows for a panel that comes from further away, no more than stay in
  // the second cache beside what passes through it.
  int64_t least = std::min<int64_t>(
      rows, llvm::divideCeil(machine.rowsWorthPanels, planes->pitch()));
  int64_t wanted =
      std::clamp<int64_t>(wantedUs / (rowUs * groups), least, rows);
  int64_t rowBytes = planes->copiedBytes(1);
  if (rowBytes)
    wanted = std::clamp<int64_t>(machine.l2Bytes / 4 / rowBytes, 1, wanted);
  ContractionBlocks blocks;
  blocks.rowTiles = evenParts(rows, wanted);

  // Each block of panels copies the rows anew, for a fifth of its time at most.
  double copyUs =
      planes->copiedBytes(blocks.rowTiles) * machine.rates.copyByteNs / 1e3;
  double groupUs = rowUs * blocks.rowTiles;
  blocks.columnGroups = evenParts(
      groups,
      std::clamp<int64_t>(std::max(wantedUs, 4 * copyUs) / groupUs, 1, groups));
  int64_t tiles = pieces * llvm::divideCeil(rows, blocks.rowTiles) *
                  llvm::divideCeil(groups, blocks.columnGroups);
  blocks.chunk =
      std::clamp<int64_t>(wantedUs / (groupUs * blocks.columnGroups), 1, tiles);
  return blocks;
}

LogicalResult PlaneConvolutionEmitter::emit() {
  plan();
  int64_t rows = shape.outputRows(), width = kBlockVectors * lanes;
  int64_t groupCount = llvm::divideCeil(shape.groupOutput, width);
  int64_t rowBlocks = llvm::divideCeil(rows, blocks.rowTiles);
  int64_t columnBlocks = llvm::divideCeil(groupCount, blocks.columnGroups);
  sums = frame.allocateScratch(accumulator, kBlockRows * width);
  configuration = frame.allocateScratch(frame.builder.getI8Type(),
                                        MatrixTile::configurationBytes);

  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      indicesAt(frame, index, tile,
                {shape.images, shape.groups, columnBlocks, rowBlocks});
  image = at[0];
  channelGroup = at[1];
  Value groupBegin = index.mul(at[2], blocks.columnGroups);
  Value groupEnd = index.min(index.add(groupBegin, blocks.columnGroups),
                             index.constant(groupCount));
  rowBegin = index.mul(at[3], blocks.rowTiles);
  rowEnd =
      index.min(index.add(rowBegin, blocks.rowTiles), index.constant(rows));
  Value base = index.at(index.mul(image, shape.inputImage()), channelGroup,
                        shape.groupInput);
  planes->prepare(index, base, rowBegin, rowEnd);
  MatrixTile(frame.builder, loc, frame.machine, accumulator, kBlockRows / kRows,
             kBlockVectors)
      .configure(configuration, kBlockRows, run.perProduct);

  LogicalResult status = success();
  forEachFilterTile(index, shape, kBlockVectors, lanes, groupBegin, groupEnd,
                    /*isAll=*/columnBlocks == 1,
                    [&](const FilterColumns &group) {
                      if (failed(emitGroup(group)))
                        status = failure();
                    });
  if (failed(status))
    return failure();
  MatrixTile::release(frame.builder, loc);
  frame.finish(shape.images * shape.groups * columnBlocks * rowBlocks,
               blocks.chunk);
  return success();
}

LogicalResult PlaneConvolutionEmitter::emitGroup(const FilterColumns &group) {
  LogicalResult status = success();
  Value end = planes->positions(index, index.sub(rowEnd, rowBegin));
  auto emit = [&](Value begin, int64_t height) {
    Value position = planes->firstRead(index, begin, height);
    sumUp(group, position, height);
    Value last = index.min(index.add(begin, height), end);
    if (failed(store(group, position, begin, last)))
      status = failure();
  };
  index.loop(index.constant(0), end, kBlockRows, [&](Value begin) {
    index.branch(
        index.less(index.add(begin, kRows), end),
        [&] { emit(begin, kBlockRows); }, [&] { emit(begin, kRows); });
  });
  return status;
}

void PlaneConvolutionEmitter::sumUp(const FilterColumns &group, Value position,
                                    int64_t height) {
  MatrixTile tile = tileOf(group, height);
  tile.zero();
  TileRhs filter = filterOf(frame, index, shape, weights, channelGroup, group);
  int64_t width = shape.spatial.back().kernel;
  int64_t tapSize = shape.tapSteps() * filter.step.number;
  MatrixLhs lhs{planes->buffer, {}, planes->pointStride()};
  MatrixRhs rhs{filter.buffer, {}, filter.vectors, filter.step.number};
  Value start = index.mul(position, planes->pointStride());
  index.loop(0, shape.taps() / width, 1, [&](Value row) {
    index.loop(0, run.perRow, 1, [&](Value column) {
      Value from = index.add(start, planes->offsetOf(index, row, column));
      Value tap = index.at(column, row, width);
      Value weight = index.at(filter.base, tap, tapSize);
      index.loop(0, run.steps, run.perProduct, [&](Value step) {
        lhs.base = index.at(from, step, shape.perStep);
        rhs.base = index.at(weight, step, filter.step.number);
        tile.multiplyAdd(lhs, rhs);
      });
    });
  });
  tile.store(sums, index.constant(0));
}

LogicalResult PlaneConvolutionEmitter::store(const FilterColumns &group,
                                             Value position, Value begin,
                                             Value end) {
  LogicalResult status = success();
  int64_t pitch = planes->pitch(), columns = group.vectors * group.lanes;
  RegisterTile tile(frame.builder, loc, accumulator, kBlockRows, group.vectors);
  // The rows of the image that these are positions of.
  Value endRow = index.add(index.div(index.add(end, -1), pitch), 1);
  index.loop(index.div(begin, pitch), endRow, 1, [&](Value row) {
    Value start = index.mul(row, pitch);
    Value first = index.max(begin, start);
    Value last = index.min(end, index.add(start, shape.spatial.back().output));
    // No rows are left where all positions are beside the result.
    RestingTile resting{sums, index.mul(index.sub(first, position), columns),
                        index.sub(last, first)};
    TilePlace place;
    place.coords.push_back(image);
    if (shape.spatial.size() == 2)
      place.coords.push_back(index.add(rowBegin, row));
    place.rowDim = place.coords.size();
    place.coords.push_back(index.sub(first, start));
    place.coords.push_back(Value());
    place.columnDims.push_back(shape.spatial.size() + 1);
    place.columnExtents.push_back(shape.outputChannels());
    place.firstColumn = index.at(index.mul(group.number, group.width),
                                 channelGroup, shape.groupOutput);
    place.columns = group.columns;
    if (failed(output.store(tile, resting, place)))
      status = failure();
  });
  return status;
}

bool isPlaneConvolution(const Machine &machine, kernel::ConvolutionOp op) {
  Type accumulator = cast<RankedTensorType>(op.getType()).getElementType();
  return !machine.matrixProduct(accumulator).empty() &&
         kernel::hasMatrixPlanes(op, machine.rowsWorthMatrices, matrixSteps);
}

LogicalResult emitPlaneConvolution(KernelFrame &frame, kernel::ConvolutionOp op,
                                   const ConvolutionShape &shape,
                                   ConvolutionBuffers buffers) {
  return PlaneConvolutionEmitter(frame, op, shape, std::move(buffers)).emit();
}

} // namespace heddle
