// kernel.convolution, directly on channels-last tensors: a register tile is a
// few neighbouring output columns by a panel of channels, summed over the taps
// and the input channels. Taps that lie in the padding are left out, those of
// outer dimensions by the bounds of their loops, those of the innermost one
// because border tiles have code of their own. So do the columns of each phase,
// where the input has zeros between its points.

#include "dialects/Kernel/TermRuns.h"
#include "passes/Kernel/Cpu/ContractionShape.h"
#include "passes/Kernel/Cpu/ConvolutionWork.h"
#include "passes/Kernel/Cpu/DepthwiseEmitter.h"
#include "passes/Kernel/Cpu/FilterTiles.h"
#include "passes/Kernel/Cpu/Grid.h"
#include "passes/Kernel/Cpu/PlaneConvolution.h"
#include "passes/Kernel/Cpu/RegisterTile.h"
#include "passes/Kernel/Cpu/RootEmitters.h"
#include "passes/Kernel/Cpu/SizedConvolution.h"
#include "passes/Kernel/Cpu/SizedDepthwise.h"
#include "passes/Kernel/Cpu/TapLoops.h"
#include "passes/Kernel/Cpu/TapPhases.h"

using namespace mlir;

namespace heddle {
namespace {

class ConvolutionEmitter : ConvolutionParts {
public:
  using ConvolutionParts::ConvolutionParts;

  LogicalResult emit();

private:
  int64_t groupColumns() const { return tileShape.vectors * lanes; }
  const SpatialDim &inner() const { return shape.spatial.back(); }
  LogicalResult emitGroup(const FilterColumns &group);
  LogicalResult emitRow(const FilterColumns &group, ArrayRef<Value> row);
  LogicalResult emitTile(const FilterColumns &group, ArrayRef<Value> row,
                         const ColumnPhase &phase, const ColumnRun &run,
                         Value first);
  SmallVector<Value> emitTaps(RegisterTile &tile, const FilterColumns &group,
                              const ColumnPhase &phase, const ColumnRun &run,
                              Value first, TapPosition outer, ValueRange sums);

  TileShape tileShape;
  bool isSmall = false;
  SmallVector<ColumnPhase> phases;
  // Of the grid's current tile: the image, the group, rows, and where in the
  // input they start.
  Value image, channelGroup, rowBegin, rowEnd, imageBase;
};

} // namespace

/// A convolution that is a contraction over pixels.
static bool isPointwise(const ConvolutionShape &shape) {
  return !shape.hasOpenImages() && shape.groups == 1 && shape.taps() == 1 &&
         shape.isDense() &&
         llvm::all_of(shape.spatial,
                      [](const SpatialDim &dim) { return dim.isInside(); });
}

static ContractionShape pointwiseShape(kernel::ConvolutionOp op,
                                       const ConvolutionShape &shape,
                                       const Machine &machine) {
  int64_t panelColumns = machine.panelColumns;
  ContractionShape contraction;
  contraction.lhs = op.getInput();
  contraction.rhs = op.getWeights();
  contraction.isPacked = shape.isPacked;
  contraction.perStep = shape.perStep;
  ContractionDim images{shape.images, shape.inputImage(), 0, 0u};
  SmallVector<ContractionDim> rows;
  for (auto [i, dim] : llvm::enumerate(shape.spatial))
    rows.push_back({dim.output, dim.inputStride * dim.stride, 0,
                    static_cast<unsigned>(i + 1)});
  // Tiles are cut from images that have points: of any number of images it may
  // be one that comes.
  bool arePoints = shape.outputRows() * shape.spatial.back().output == 1;
  if (!shape.images.isSized() || arePoints)
    rows.insert(rows.begin(), images);
  contraction.setRows(rows, machine,
                      cast<RankedTensorType>(op.getType()).getElementType(),
                      kernel::hasMatrixRows(op, machine.rowsWorthMatrices));
  if (shape.images.isSized() && !arePoints)
    contraction.outerRows.insert(contraction.outerRows.begin(), images);
  unsigned channels = shape.spatial.size() + 1;
  contraction.columns.push_back({shape.groupOutput, 0, 1, channels});
  contraction.panelStride = shape.groupInput * panelColumns;
  contraction.termStride =
      shape.isPacked ? panelColumns : shape.outputChannels();
  contraction.lhsUnsigned = op.getLhsElement().isUnsignedInteger();
  if (shape.groupInput != 1)
    contraction.depth.push_back(
        {shape.tapSteps(), shape.perStep,
         shape.isPacked ? panelColumns * shape.perStep : shape.outputChannels(),
         std::nullopt});
  return contraction;
}

LogicalResult ConvolutionEmitter::emit() {
  // The first phase has the most columns.
  phases = columnPhases(inner());
  int64_t columns = phases.front().dim.output;
  tileShape = chooseTileShape(frame.machine, columns, shape.groupOutput, lanes);
  if (auto products =
          StepProducts::of(frame.machine, shape.perStep, accumulator))
    tileShape.rows = products->rowsOf(columns, tileShape);
  double outputs = double(shape.images.bound()) * shape.outputRows() *
                   inner().output * shape.outputChannels();
  Work work = convolutionWork(op, shape, outputs);
  expectWork(frame, contractionNanoseconds(frame.machine, work, outputs));
  isSmall = isSmallWork(frame.machine, work);
  if (isSmall) {
    tileShape.rows = evenRows(columns, tileShape.rows);
    // Border tiles have code of their own for each row.
    int64_t fewer = evenRows(columns, tileShape.rows - 1);
    if (tileShape.rows > 8 && columns % fewer == 0)
      tileShape.rows = fewer;
  }

  int64_t rows = shape.outputRows();
  int64_t groupCount = llvm::divideCeil(shape.groupOutput, groupColumns());
  ContractionExtents extents = convolutionExtents(
      op, shape, shape.expectedImages() * shape.groups, rows * inner().output);
  TileShape rowShape{inner().output, tileShape.vectors};
  ContractionBlocks blocks =
      chooseBlocks(frame.machine, extents, rowShape, rows, groupCount, lanes);
  int64_t rowBlocks = llvm::divideCeil(rows, blocks.rowTiles);
  int64_t columnBlocks = llvm::divideCeil(groupCount, blocks.columnGroups);

  Value tile = frame.enterTileLoop();
  SmallVector<Value> at =
      indicesAt(frame, index, tile,
                {shape.images, shape.groups, columnBlocks, rowBlocks});
  image = at[0];
  channelGroup = at[1];
  imageBase = index.at(index.mul(image, shape.inputImage()), channelGroup,
                       shape.groupInput);
  auto range = [&](Value block, int64_t size, int64_t count) {
    Value begin = index.mul(block, size);
    Value end = index.add(begin, size);
    if (count % size != 0)
      end = index.min(end, index.constant(count));
    return std::make_pair(begin, end);
  };
  std::tie(rowBegin, rowEnd) = range(at[3], blocks.rowTiles, rows);
  auto [groupBegin, groupEnd] = range(at[2], blocks.columnGroups, groupCount);

  LogicalResult status = success();
  forEachFilterTile(index, shape, tileShape.vectors, lanes, groupBegin,
                    groupEnd, /*isAll=*/columnBlocks == 1,
                    [&](const FilterColumns &group) {
                      if (failed(emitGroup(group)))
                        status = failure();
                    });
  if (failed(status))
    return failure();
  frame.finish(shape.images * shape.groups * columnBlocks * rowBlocks,
               blocks.chunk);
  return success();
}

LogicalResult ConvolutionEmitter::emitGroup(const FilterColumns &group) {
  LogicalResult status = success();
  SmallVector<int64_t> extents;
  for (const SpatialDim &dim : ArrayRef(shape.spatial).drop_back())
    extents.push_back(dim.output);
  index.loop(rowBegin, rowEnd, 1, [&](Value number) {
    if (failed(emitRow(group, index.delinearize(number, extents))))
      status = failure();
  });
  return status;
}

LogicalResult ConvolutionEmitter::emitRow(const FilterColumns &group,
                                          ArrayRef<Value> row) {
  LogicalResult status = success();
  // Columns of each phase have code of their own.
  for (const ColumnPhase &phase : phases)
    for (const ColumnRun &run : splitColumns(phase.dim, tileShape.rows))
      index.loop(0, run.count, 1, [&](Value number) {
        Value first = index.add(index.mul(number, run.width), run.first);
        if (failed(emitTile(group, row, phase, run, first)))
          status = failure();
      });
  return status;
}

LogicalResult ConvolutionEmitter::emitTile(const FilterColumns &group,
                                           ArrayRef<Value> row,
                                           const ColumnPhase &phase,
                                           const ColumnRun &run, Value first) {
  RegisterTile tile(frame.builder, loc, accumulator, run.width, group.vectors);
  if (isSmall)
    tile.stepsPerIteration = 1;
  tile.products = StepProducts::of(frame.machine, shape.perStep, accumulator);
  TapPosition start{imageBase, index.constant(0)};
  SmallVector<Value> sums = emitTapLoops(
      index, ArrayRef(shape.spatial).drop_back(), row, start, tile.zeros(),
      [&](TapPosition outer, ValueRange sums) {
        return emitTaps(tile, group, phase, run, first, outer, sums);
      });

  TilePlace place;
  place.coords.push_back(image);
  llvm::append_range(place.coords, row);
  place.coords.push_back(
      index.add(index.mul(first, phase.spacing), phase.first));
  place.rowStep = phase.spacing;
  place.coords.push_back(Value());
  place.rowDim = shape.spatial.size();
  place.columnDims.push_back(shape.spatial.size() + 1);
  place.columnExtents.push_back(shape.outputChannels());
  place.firstColumn = index.at(index.mul(group.number, groupColumns()),
                               channelGroup, shape.groupOutput);
  place.columns = group.columns;
  return output.store(tile, sums, place);
}

SmallVector<Value>
ConvolutionEmitter::emitTaps(RegisterTile &tile, const FilterColumns &group,
                             const ColumnPhase &phase, const ColumnRun &run,
                             Value first, TapPosition outer, ValueRange sums) {
  const SpatialDim &dim = phase.dim;
  SmallVector<Value> carried(sums);
  TileLhs lhs;
  lhs.buffer = input;
  lhs.step = shape.perStep;
  lhs.isUnsigned = op.getLhsElement().isUnsignedInteger();
  // Of tap 0 of the first column.
  lhs.base =
      index.add(index.at(outer.input, first, dim.stride * dim.inputStride),
                -dim.padding * dim.inputStride);
  TileRhs rhs = filterOf(frame, index, shape, weights, channelGroup, group);
  int64_t tapSize = shape.tapSteps() * rhs.step.number;
  rhs.base = index.at(rhs.base, outer.tap, inner().kernel * tapSize);
  rhs.base = index.add(rhs.base, phase.firstTap * tapSize);
  for (const TapRun &taps : run.taps) {
    lhs.rows.clear();
    for (auto [r, valid] : llvm::enumerate(taps.rows)) {
      lhs.rows.emplace_back();
      if (valid)
        lhs.rows.back() = r * dim.stride * dim.inputStride;
    }
    // Taps next to each other are one run of channels.
    if (dim.dilation == 1 && phase.tapSpacing == 1 && shape.groups == 1) {
      carried = tile.accumulate(
          lhs, rhs, index.constant(taps.low * shape.tapSteps()),
          index.constant(taps.high * shape.tapSteps()), carried);
      continue;
    }
    carried = index.loop(
        index.constant(taps.low), index.constant(taps.high), 1, carried,
        [&](Value tap, ValueRange inner) {
          TileLhs tapLhs = lhs;
          TileRhs tapRhs = rhs;
          tapLhs.base = index.at(lhs.base, tap, dim.dilation * dim.inputStride);
          tapRhs.base = index.at(rhs.base, tap, phase.tapSpacing * tapSize);
          return tile.accumulate(tapLhs, tapRhs, index.constant(0),
                                 index.constant(shape.tapSteps()), inner);
        });
  }
  return carried;
}

LogicalResult emitConvolution(KernelFrame &frame, kernel::ConvolutionOp op) {
  int64_t panelColumns = frame.machine.panelColumns;
  FailureOr<ConvolutionShape> found =
      ConvolutionShape::analyze(op, panelColumns);
  if (failed(found))
    return failure();
  const ConvolutionShape &shape = *found;
  // Of narrow images a matrix register takes points of several rows.
  bool isOfPlanes = shape.perStep > 1 &&
                    isPlaneConvolution(frame.machine, op) &&
                    !kernel::hasMatrixRows(op, frame.machine.rowsWorthMatrices);
  if (isPointwise(shape) && !isOfPlanes)
    return emitContraction(frame, cast<OpResult>(op.getResult()),
                           pointwiseShape(op, shape, frame.machine));
  Type element = cast<RankedTensorType>(op.getType()).getElementType();
  if (!element.isIntOrFloat())
    return op.emitOpError("has elements of an unsupported type, ") << element;
  auto output =
      TileOutput::create(frame, op.getResult(), frame.machine.mostTileElements);
  if (failed(output))
    return failure();
  if (cast<RankedTensorType>(op.getType()).getNumElements() == 0) {
    frame.finish(/*tiles=*/0);
    return success();
  }
  ConvolutionBuffers buffers{frame.buffer(op.getInput()),
                             frame.buffer(op.getWeights()), std::move(*output)};
  if (!buffers.input || !buffers.weights)
    return op.emitOpError("has an operand that is not in memory");

  bool hasTiles = shape.hasOpenImages()
                      ? !fewPhases(shape.spatial.back()).empty()
                      : shape.isDense();
  bool isDepthwise = hasTiles && shape.groupInput == 1 &&
                     shape.groupOutput == 1 && !shape.isPacked;
  if ((shape.hasOpenImages() || isDepthwise) &&
      op.getLhsElement().isUnsignedInteger())
    return op.emitOpError("has an input without signs, and is depthwise or of "
                          "images of open sizes");
  if (shape.hasOpenImages())
    return isDepthwise
               ? emitSizedDepthwise(frame, op, shape, std::move(buffers))
               : emitSizedConvolution(frame, op, shape, std::move(buffers));
  if (isDepthwise)
    return emitDepthwise(frame, op, shape, std::move(buffers));
  if (isOfPlanes)
    return emitPlaneConvolution(frame, op, shape, std::move(buffers));
  return ConvolutionEmitter(frame, op, shape, std::move(buffers)).emit();
}

} // namespace heddle
